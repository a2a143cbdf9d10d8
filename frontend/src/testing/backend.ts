// A small server of one's own, in memory: stores what it receives and answers by the contract. Tests start from
// it and replace single answers; nothing here decides what is valid, which is the real server's work.
import { HttpResponse, http } from "msw";
import type { Link, Stored } from "../features/catalogue/contents";
import { sampleCategories, sampleCurrentUser, sampleMovies } from "./samples";

type Item = { id: number; version: number } & Record<string, unknown>;

interface Backend {
  user: typeof sampleCurrentUser | null;
  tables: Record<string, Item[]>;
  /** Every request that arrived, as «METHOD path?query». */
  requests: string[];
  bodies: unknown[];
}

export const backend: Backend = { user: null, tables: {}, requests: [], bodies: [] };

export function resetBackend(): void {
  backend.user = { ...sampleCurrentUser };
  backend.tables = {
    categories: structuredClone(sampleCategories) as unknown as Item[],
    movies: structuredClone(sampleMovies) as unknown as Item[],
  };
  backend.requests = [];
  backend.bodies = [];
}

/** The requests that arrived whose text begins so. */
export const sent = (start: string) => backend.requests.filter((request) => request.startsWith(start));

export function problem(status: number, body: object) {
  return HttpResponse.json({ status, title: "", ...body }, { status });
}

const entered = () => HttpResponse.json({ success: true, message: "", user: backend.user, errorCode: null });
const unknown = () => problem(401, { code: "NOT_AUTHENTICATED", message: "No has iniciado sesión." });
const missing = () => problem(404, { code: "NOT_FOUND", message: "No existe." });
const plain = (text: string) =>
  text
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .toLowerCase();

/** Writes down what arrives, and leaves the answer to the others. */
export const recorder = http.all("/api/*", async ({ request }) => {
  const { pathname, search } = new URL(request.url);
  // Every screen reads it.
  if (pathname === "/api/activity") return;
  backend.requests.push(`${request.method} ${pathname}${decodeURIComponent(search)}`);
  if (request.body) backend.bodies.push(await request.clone().json());
});

export const handlers = [
  http.get("/api/activity", () =>
    HttpResponse.json({ jobs: [], ended: [], links: null, reviews: null, reports: null }),
  ),
  http.get("/api/guide-fetches", () => HttpResponse.json([])),
  http.get("/api/tv-guides/:id/fetching", () => missing()),
  http.get("/api/saved-views", () => HttpResponse.json([])),
  http.get("/api/auth/info", () => HttpResponse.json({ defaultAccount: false })),
  http.post("/api/auth/refresh", () => (backend.user ? entered() : unknown())),
  http.post("/api/auth/logout", () => {
    backend.user = null;
    return new HttpResponse(null, { status: 204 });
  }),
  http.post("/api/auth/login", async ({ request }) => {
    const { password } = (await request.json()) as { password: string };
    if (password !== "secreta")
      return problem(401, {
        code: "INVALID_CREDENTIALS",
        message: "Usuario o contraseña incorrectos.",
        success: false,
        user: null,
      });
    backend.user = { ...sampleCurrentUser };
    return entered();
  }),
  http.get("/api/lookup/titles/:id", ({ params }) =>
    params.id === "tt0133093"
      ? HttpResponse.json({
          draft: {
            title: "The Matrix",
            imdbId: "tt0133093",
            year: 1999,
            durationMinutes: 136,
            rating: 8.7,
            genres: ["ACTION", "SCI_FI"],
          },
          unmatchedGenres: ["Cyberpunk"],
        })
      : problem(404, { code: "FILM_NOT_FOUND", message: "Película no encontrada en IMDB" }),
  ),
  http.get("/api/lookup/search", () =>
    HttpResponse.json({
      results: [{ imdbId: "tt0133093", title: "The Matrix", year: 1999, type: "movie", posterUrl: null }],
    }),
  ),
  http.get("/api/:kind/:id/probes", () => HttpResponse.json([])),
  http.get("/api/:kind/:id/usage", () => HttpResponse.json({ total: 0, kinds: [] })),
  http.get("/api/:kind", ({ params, request }) => list(table(params), new URL(request.url).searchParams)),
  http.get("/api/:kind/:id", ({ params }) => {
    const item = find(params);
    return item ? HttpResponse.json(item) : missing();
  }),
  http.post("/api/:kind", async ({ params, request }) => {
    const items = table(params);
    const draft = (await request.json()) as object;
    const id = Math.max(0, ...items.map((item) => item.id)) + 1;
    const now = "2026-11-20T10:00:00Z";
    const item = { ...draft, id, version: 1, views: 0, createdDate: now, updatedDate: now } as Item;
    items.push(item);
    return HttpResponse.json(item, { status: 201 });
  }),
  http.put("/api/:kind/:id", async ({ params, request }) => {
    const item = find(params);
    if (!item) return missing();
    if (request.headers.get("if-match") !== `"${item.version}"`)
      return problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: item });
    Object.assign(item, (await request.json()) as object, { version: item.version + 1 });
    return HttpResponse.json(item);
  }),
  http.patch("/api/:kind/:id/status", async ({ params, request }) => {
    const item = find(params);
    if (!item) return missing();
    Object.assign(item, (await request.json()) as object, { version: item.version + 1 });
    return HttpResponse.json(item);
  }),
  http.delete("/api/:kind/:id", ({ params }) => {
    const items = table(params);
    const index = items.findIndex((item) => item.id === Number(params.id));
    if (index < 0) return missing();
    items.splice(index, 1);
    return new HttpResponse(null, { status: 204 });
  }),
];

type Params = Record<string, string | readonly string[] | undefined>;

function table(params: Params): Item[] {
  return backend.tables[String(params.kind)] ?? [];
}

function find(params: Params): Item | undefined {
  return table(params).find((item) => item.id === Number(params.id));
}

function list(items: Item[], query: URLSearchParams) {
  const search = plain(query.get("search") ?? "");
  const sort = (query.get("_sort") ?? "").trim().replace(/^[+ ]/, "");
  const filters = [...query].filter(([key]) => !key.startsWith("_") && key !== "search");
  const found = items
    .filter((item) => plain(seenInList(item)).includes(search))
    .filter((item) => filters.every(([key, value]) => String(item[key]) === value));
  // The samples stand in the order of the lists: the newest first.
  if (sort && sort !== "-id") {
    const key = sort.replace(/^-/, "");
    const sign = sort.startsWith("-") ? -1 : 1;
    found.sort(
      (one, other) => sign * String(one[key]).localeCompare(String(other[key]), "es", { numeric: true }),
    );
  }
  return pageOf(found.map(toRow), query);
}

/** The page that a request wants of the rows that it finds. */
export function pageOf(found: readonly unknown[], query: URLSearchParams, defaultSize = 10) {
  const page = Number(query.get("_page") ?? 0);
  const size = Number(query.get("_size") ?? defaultSize);
  return HttpResponse.json({
    content: found.slice(page * size, (page + 1) * size),
    page,
    size,
    totalPages: Math.ceil(found.length / size),
    totalElements: found.length,
  });
}

function seenInList({ channelNumber, title, stationName, description }: Item): string {
  return `${channelNumber ?? ""} ${title ?? stationName ?? description}`;
}

/** Lists are narrow: no synopses, no links; the category comes along. */
function toRow({ links, spanishSynopsis: _es, englishSynopsis: _en, ...row }: Item) {
  const category = (backend.tables.categories as unknown as Stored<"categories">[] | undefined)?.find(
    (one) => one.id === (row.categoryId ?? (row.categories as number[] | undefined)?.[0]),
  );
  const active = (links as Link[] | undefined)?.filter((link) => link.active);
  return { ...row, category, ...(active && { qualities: [...new Set(active.map((link) => link.quality))] }) };
}
