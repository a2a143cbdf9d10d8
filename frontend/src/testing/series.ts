// The part of the mock server that series need: what lies below a show. Its rows are in the tables of episodes
// and seasons, like everything else's.

import { HttpResponse, http } from "msw";
import { vi } from "vitest";
import type { Stored } from "../features/catalogue/contents";
import type { StoredEpisode, StoredSeason } from "../features/catalogue/episodes/queries";
import { backend, problem } from "./backend";
import { sampleCurrentUser } from "./samples";

const dates = { createdDate: "2026-01-15T09:30:00Z", updatedDate: "2026-03-02T18:05:09Z" };

export function sampleShow(change: Partial<Stored<"tv-shows">> = {}): Stored<"tv-shows"> {
  return {
    id: 7,
    version: 2,
    updatedBy: null,
    views: 1200,
    title: "La casa azul",
    imdbId: "tt0903747",
    year: 2019,
    firstAirDate: "2019-02-01",
    lastAirDate: null,
    totalSeasons: 2,
    totalEpisodes: null,
    rating: 8.1,
    actors: "Ana Ruiz",
    creators: "Luis Gil",
    spanishSynopsis: null,
    englishSynopsis: null,
    status: "RETURNING_SERIES",
    classification: null,
    genres: ["DRAMA"],
    categoryId: 4,
    coverImageUrl: null,
    backgroundImageUrl: null,
    trailerUrl: null,
    reference: null,
    active: true,
    adultContent: false,
    monoAudio: false,
    englishOnly: false,
    kidsContent: false,
    ...dates,
    ...change,
  };
}

export function sampleEpisode(id: number, change: Partial<StoredEpisode> = {}): StoredEpisode {
  return {
    id,
    version: 1,
    updatedBy: null,
    views: id * 10,
    tvShowId: 7,
    imdbId: null,
    seasonNumber: 1,
    episodeNumber: id,
    title: `Capítulo ${id}`,
    airDate: "2019-02-01",
    durationMinutes: 45,
    rating: 7.5,
    spanishSynopsis: "Empieza todo.",
    englishSynopsis: null,
    coverImageUrl: null,
    active: true,
    links: [
      {
        id: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
        quality: "FHD",
        url: `https://cdn.example.com/casa/${id}.m3u8`,
        audioLanguages: ["SPANISH"],
        subtitleLanguages: [],
        active: true,
        ...dates,
      },
    ],
    ...dates,
    ...change,
  };
}

function sampleSeason(id: number, change: Partial<StoredSeason> = {}): StoredSeason {
  return {
    id,
    version: 1,
    updatedBy: null,
    views: 0,
    tvShowId: 7,
    seasonNumber: id,
    title: null,
    spanishSynopsis: null,
    englishSynopsis: null,
    coverImageUrl: null,
    airDate: null,
    episodeCount: 2,
    active: true,
    ...dates,
    ...change,
  };
}

type Params = Record<string, string | readonly string[] | undefined>;
type Part = (typeof backend.tables)[string][number];

const rowsOf = (table: string, { show }: Params) =>
  (backend.tables[table] ?? []).filter((row) => row.tvShowId === Number(show));
const episode = (params: Params) =>
  rowsOf("episodes", params).find((row) => row.id === Number(params.id)) as Part;

function add(draft: object, show: unknown): Part {
  backend.tables.episodes ??= [];
  const episodes = backend.tables.episodes;
  const id = Math.max(0, ...episodes.map((row) => row.id)) + 1;
  const stored = { ...draft, tvShowId: Number(show), id, version: 1, views: 0, ...dates } as Part;
  episodes.push(stored);
  return stored;
}

export const seriesHandlers = [
  http.get("/api/tv-shows/:show/:part", ({ params, request }) => {
    const rows = rowsOf(String(params.part), params);
    const query = new URL(request.url).searchParams;
    const size = Number(query.get("_size") ?? 10);
    const page = Number(query.get("_page") ?? 0);
    return HttpResponse.json({
      content: rows.slice(page * size, (page + 1) * size),
      page,
      size,
      totalPages: Math.ceil(rows.length / size),
      totalElements: rows.length,
    });
  }),
  http.post("/api/tv-shows/:show/episodes", async ({ params, request }) =>
    HttpResponse.json(add((await request.json()) as object, params.show), { status: 201 }),
  ),
  http.post("/api/tv-shows/:show/episodes/batch", async ({ params, request }) => {
    const { episodes } = (await request.json()) as { episodes: object[] };
    for (const draft of episodes) add(draft, params.show);
    return HttpResponse.json({ created: episodes.length }, { status: 201 });
  }),
  http.put("/api/tv-shows/:show/episodes/:id", async ({ params, request }) => {
    const item = episode(params);
    if (request.headers.get("if-match") !== `"${item.version}"`)
      return problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: item });
    Object.assign(item, (await request.json()) as object, { version: item.version + 1 });
    return HttpResponse.json(item);
  }),
  http.patch("/api/tv-shows/:show/episodes/:id/status", async ({ params, request }) => {
    const item = episode(params);
    Object.assign(item, (await request.json()) as object, { version: item.version + 1 });
    return HttpResponse.json(item);
  }),
  http.delete("/api/tv-shows/:show/episodes/:id", ({ params }) => {
    backend.tables.episodes = (backend.tables.episodes ?? []).filter((row) => row.id !== Number(params.id));
    return new HttpResponse(null, { status: 204 });
  }),
];

/** The episodes of that series. */
export const episodesPage = "/content/tv-shows/7/episodes";
const everything = ["READ", "CREATE", "UPDATE", "DELETE"].map((action) => `TVSHOW_${action}`);

/** Signs in a user with all permissions on series, and stores one series with two seasons and three episodes. */
export function serveSeries() {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  backend.user = { ...sampleCurrentUser, permissions: everything };
  Object.assign(backend.tables, {
    "tv-shows": [sampleShow()],
    episodes: [
      sampleEpisode(1, { title: "El Camión" }),
      sampleEpisode(2, { title: "La llave", active: false, airDate: null, rating: null }),
      sampleEpisode(3, { seasonNumber: 3, episodeNumber: 12, title: "Regreso" }),
    ],
    seasons: [sampleSeason(1), sampleSeason(3, { title: "La vuelta", episodeCount: 1 })],
  });
  backend.tables.categories?.push({
    id: 4,
    version: 1,
    description: "Series",
    englishDescription: "Shows",
    type: "TV_SHOW",
    active: true,
  });
}
