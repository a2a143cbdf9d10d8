// axe finds nothing on the lists, forms and pages of every kind besides movies and categories, nor on the episodes.
import type { Page } from "playwright-core";
import { beforeAll, test } from "vitest";
import { field, heading, row } from "./screens";
import {
  casesOf,
  categoryId,
  clientOf,
  create,
  dark,
  expectAccessibleIn,
  light,
  narrow,
  pagesOfOneBrowser,
  setBaseUrl,
} from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;
/** The numbers of what was made, by kind; `:tv-shows` in an address stands for one of them. */
const made: Record<string, number> = {};

type Screens = Record<string, { path: string; prepare: (page: Page) => Promise<unknown> }>;

const kinds = [
  "tv-channels",
  "tv-guides",
  "radio-stations",
  "documentaries",
  "sports",
  "concerts",
  "tv-shows",
] as const;

/** One of every other kind, with something in every column that a list has. */
beforeAll(async () => {
  const client = await clientOf();
  await setBaseUrl(client, "channels", "https://live.example.com/play/");
  await setBaseUrl(client, "radio-stations", "https://radio.example.com/");
  const make = async (kind: (typeof kinds)[number], data: object) => {
    made[kind] = (await create(client, kind, data)).id;
  };
  const links = [
    { quality: "FHD", url: "https://cdn.example.com/one.m3u8", audioLanguages: ["SPANISH"] },
    { quality: "SD", url: "rtmp://cdn.example.com/one", audioLanguages: ["ENGLISH"], active: false },
  ];
  const playable = {
    year: 2021,
    durationMinutes: 90,
    coverImageUrl: "https://images.example.com/covers/one.jpg",
    backgroundImageUrl: "https://images.example.com/backgrounds/one.jpg",
    links,
  };
  await make("tv-guides", {
    title: "Guía del sur",
    url: "https://guides.example.com/sur.xml.gz",
    gzip: true,
  });
  await make("tv-channels", {
    channelNumber: 7,
    title: "Canal Uno",
    categories: [await categoryId(client, "Canales nacionales"), await categoryId(client, "Noticias")],
    tvGuideId: made["tv-guides"],
    epgId: "uno.uy",
    imageUrl: "https://images.example.com/logos/uno.png",
    urlType: "INTERNAL",
    url: "103451",
  });
  await make("radio-stations", {
    code: "RC-1",
    stationName: "Radio Cometa",
    stationLogo: "https://images.example.com/logos/cometa.png",
    country: "Uruguay",
    genres: ["ROCK", "JAZZ", "POP", "COUNTRY"],
    streamUrl: "https://radio.example.com/cometa.mp3",
  });
  await make("documentaries", {
    ...playable,
    title: "Bosques de niebla",
    classification: "PG_13",
    genres: ["CIENCIA", "BIOGRAFIA", "CRIMEN"],
    categoryId: await categoryId(client, "Naturaleza"),
  });
  await make("sports", {
    ...playable,
    title: "Final de la copa",
    genres: ["AJEDREZ", "ATLETISMO", "ALPINISMO"],
    categoryId: await categoryId(client, "Torneos"),
  });
  await make("concerts", {
    ...playable,
    title: "Noche en el puerto",
    actors: "Los del Muelle",
    genres: ["ROCK", "JAZZ"],
    categoryId: await categoryId(client, "Música en vivo"),
  });
  await make("tv-shows", {
    title: "La casa del puerto",
    imdbId: "tt0903747",
    year: 2019,
    genres: ["DRAMA", "COMEDIA"],
    coverImageUrl: playable.coverImageUrl,
    categoryId: await categoryId(client, "Series dramáticas"),
  });
  const show = made["tv-shows"];
  for (const [episodeNumber, title] of ["El regreso", "La niebla"].entries())
    made.episode = (
      await create(client, `tv-shows/${show}/episodes`, {
        tvShowId: show,
        seasonNumber: 1,
        episodeNumber: episodeNumber + 1,
        title,
        durationMinutes: 48,
        rating: 8.4,
        airDate: "2019-03-01",
        spanishSynopsis: "Alguien vuelve después de muchos años.",
        active: episodeNumber === 0,
        links,
      })
    ).id;
});

/** With the numbers of what was made in it. */
function addressOf(path: string): string {
  return path.replace(/:([a-z-]+)/g, (_hole, name: string) => String(made[name]));
}

/** The lists and forms of the other kinds: what their addresses and buttons are called, and what was made. */
function screensOfKinds(): Screens {
  const all: Screens = {};
  const named = (name: string) => (page: Page) => row(page, name).waitFor();
  for (const [kind, { path = kind, name, create: button, manual = false }] of Object.entries({
    "tv-channels": { name: "Canal Uno", create: "Crear canal" },
    "tv-guides": { path: "tv-guide", name: "Guía del sur", create: "Crear guía de TV" },
    "radio-stations": { name: "Radio Cometa", create: "Crear estación de radio" },
    documentaries: { name: "Bosques de niebla", create: "Crear documental" },
    sports: { name: "Final de la copa", create: "Crear evento deportivo" },
    concerts: { name: "Noche en el puerto", create: "Crear concierto" },
    "tv-shows": { name: "La casa del puerto", create: "Crear serie", manual: true },
  } as Record<string, { path?: string; name: string; create: string; manual?: boolean }>)) {
    all[`${kind}, list`] = { path: `/content/${path}`, prepare: named(name) };
    all[`${kind}, new, with errors`] = {
      path: `/content/${path}/create`,
      prepare: async (page) => {
        if (manual) await page.getByRole("button", { name: w.lookup.manual }).click();
        await page.getByRole("button", { name: button, exact: true }).click();
        await page.locator('[aria-invalid="true"]').first().waitFor();
      },
    };
    all[`${kind}, editing`] = {
      path: `/content/${path}/:${kind}/edit`,
      prepare: (page) => heading(page, w.movies.editTitle(name)).waitFor(),
    };
  }
  const episodes = "/content/tv-shows/:tv-shows/episodes";
  return {
    ...all,
    "sports, preview as large as the window": {
      path: "/content/sports/:sports/edit",
      prepare: async (page) => {
        await page.getByRole("button", { name: w.media.maximize }).click();
        await page.getByRole("dialog", { name: w.media.background }).waitFor();
      },
    },
    "base URL, refused": {
      path: "/content/tv-channels",
      prepare: async (page) => {
        await page.getByRole("button", { name: w.baseUrl.edit }).click();
        await field(page, w.channels.base).fill("no");
        await page.getByRole("button", { name: w.baseUrl.save, exact: true }).click();
        await page.getByText(w.baseUrl.refused).waitFor();
      },
    },
    "documentary, details": {
      path: "/content/documentaries/:documentaries",
      prepare: (page) => heading(page, "Detalles del documental").waitFor(),
    },
    "show, details": {
      path: "/content/tv-shows/:tv-shows",
      prepare: (page) => heading(page, "Detalles de la serie").waitFor(),
    },
    "episodes, list": {
      path: episodes,
      prepare: (page) => page.getByRole("link", { name: "S1E2: La niebla", exact: true }).waitFor(),
    },
    "episodes, nothing found": {
      path: `${episodes}?search=zzzz`,
      prepare: (page) => page.getByText(w.series.nothingFound).waitFor(),
    },
    "seasons, list": {
      path: `${episodes}?tab=seasons`,
      prepare: (page) => page.getByRole("button", { name: "Añadir temporada" }).waitFor(),
    },
    "episode, editing": {
      path: `${episodes}?episode=:episode`,
      prepare: (page) => page.getByText("rtmp://cdn.example.com/one").first().waitFor(),
    },
    "season import, previewed": {
      path: episodes,
      prepare: async (page) => {
        await page.getByRole("button", { name: w.series.import, exact: true }).click();
        const dialog = page.getByRole("dialog", { name: w.series.import });
        await field(dialog, w.series.season).fill("1");
        await dialog.getByRole("button", { name: w.series.find }).click();
        await dialog.getByRole("group", { name: w.series.found(1) }).waitFor();
      },
    },
  };
}

const inDark = [
  "tv-channels, list",
  "tv-channels, editing",
  "radio-stations, list",
  "sports, editing",
  "episodes, list",
  "season import, previewed",
];
const onPhones = ["tv-channels, editing", "episodes, list", "episode, editing", "season import, previewed"];

/** They are made of what the others are made of, or are looked at in a flow: schedule, accessibility, series. */
const onlyNightly = [
  "tv-channels, list",
  "tv-channels, new, with errors",
  "tv-guides, list",
  "tv-guides, new, with errors",
  "tv-guides, editing",
  "radio-stations, list",
  "radio-stations, new, with errors",
  "radio-stations, editing",
  "documentaries, list",
  "documentaries, new, with errors",
  "documentaries, editing",
  "sports, list",
  "sports, new, with errors",
  "concerts, list",
  "concerts, new, with errors",
  "concerts, editing",
  "tv-shows, list",
  "tv-shows, new, with errors",
  "tv-shows, editing",
  "documentary, details",
  "show, details",
  "episodes, nothing found",
];

test.each(casesOf(screensOfKinds(), onlyNightly))("%s", async (name, { path, prepare }) => {
  const looks = [light];
  if (inDark.includes(name)) looks.push(dark);
  if (onPhones.includes(name)) looks.push(narrow);
  await expectAccessibleIn(looks, name, async (look) => {
    const page = await open(addressOf(path), look);
    await prepare(page);
    return page;
  });
});
