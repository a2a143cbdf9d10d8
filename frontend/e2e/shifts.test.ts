// Nothing jumps while a page loads: on a slow line and a slow machine, what has been drawn stays where it is.
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import {
  type Client,
  categoryId,
  clientOf,
  create,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
  setBaseUrl,
} from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();
/** What search engines call good is 0.1; staff look at these screens all day. */
const most = 0.02;
const rows = 12;
const made: Record<string, number> = {};
const kinds = [
  "tv-channels",
  "tv-guides",
  "radio-stations",
  "documentaries",
  "movies",
  "concerts",
  "sports",
  "tv-shows",
] as const;

/** A page of rows of each kind, of lengths that would pull columns and lines about if anything could. */
async function makeRows() {
  const client = await clientOf();
  const category: Record<string, number> = {};
  for (const name of ["Canales nacionales", "Naturaleza", "Acción", "Música en vivo", "Torneos"])
    category[name] = await categoryId(client, name);
  const show = await categoryId(client, "Series dramáticas");
  await setBaseUrl(client, "channels", "https://live.example.com/a/long/way/down/play/");
  await setBaseUrl(client, "radio-stations", "https://radio.example.com/");
  const links = [{ quality: "FHD", url: "https://cdn.example.com/one.m3u8", audioLanguages: ["SPANISH"] }];
  const coverImageUrl = "https://images.example.com/covers/one.jpg";
  const of = (number: number) => {
    const long = number % 3 === 0;
    const title = long ? `La última noche del verano en la casa del faro, parte ${number}` : `Dune ${number}`;
    const played = { title, year: 2000 + number, durationMinutes: 90, links, ...(long && { coverImageUrl }) };
    return {
      "tv-channels": {
        title,
        channelNumber: number * 100,
        categories: [category["Canales nacionales"]],
        urlType: "INTERNAL",
        url: "103451",
        ...(long && { imageUrl: coverImageUrl }),
      },
      // The server reads the address of an active one, and what it says of that depends on the moment.
      "tv-guides": { title, url: "https://guides.example.com/sur.xml.gz", gzip: long, active: false },
      "radio-stations": {
        code: `RC-${number}`,
        stationName: title,
        country: long ? "República Dominicana" : "Perú",
        genres: long ? ["ROCK", "JAZZ", "POP", "COUNTRY"] : ["POP"],
        streamUrl: "https://radio.example.com/cometa.mp3",
      },
      documentaries: {
        ...played,
        classification: "PG_13",
        genres: long ? ["MEDIO_AMBIENTAL", "ARTE_Y_MUSICA", "MILITAR_Y_GUERRA", "CIENCIA"] : ["CRIMEN"],
        categoryId: category.Naturaleza,
      },
      movies: {
        ...played,
        classification: "PG_13",
        genres: long ? ["SCI_FI", "ADVENTURE", "DRAMA"] : [],
        categoryId: category.Acción,
      },
      concerts: {
        ...played,
        actors: "Los del Muelle",
        genres: ["ROCK"],
        categoryId: category["Música en vivo"],
      },
      sports: { ...played, genres: ["FUTBOL_AMERICANO", "GOLF"], categoryId: category.Torneos },
      "tv-shows": {
        title,
        year: 2019,
        genres: ["DRAMA", "COMEDIA"],
        totalSeasons: 2,
        categoryId: show,
        ...(long && { coverImageUrl }),
      },
    };
  };
  for (const kind of kinds.filter((kind) => shown.some(([name]) => name.startsWith(kind))))
    for (let number = 1; number <= rows; number++)
      made[kind] = (await create(client, kind, of(number)[kind])).id;
  if (made["tv-guides"]) await readGuides(client);
  for (const seasonNumber of [1, 2])
    for (let episodeNumber = 1; episodeNumber <= 4; episodeNumber++)
      made.episode = (
        await create(client, `tv-shows/${made["tv-shows"]}/episodes`, {
          tvShowId: made["tv-shows"],
          seasonNumber,
          episodeNumber,
          title: `El regreso ${episodeNumber}`,
          durationMinutes: 48,
          spanishSynopsis: "Alguien vuelve después de muchos años, y nada es lo que era.",
          links,
        })
      ).id;
}

/** Guides that were read say when, and have a button beside it. */
async function readGuides({ request }: Client) {
  const { content } = (await (await request.get("/api/tv-guides?_size=100")).json()) as {
    content: { id: number }[];
  };
  // A day that is kept.
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const data = Buffer.from(
    '<tv><channel id="a"><display-name>A</display-name></channel>' +
      `<programme channel="a" start="${day}000000 +0000" stop="${day}010000 +0000"><title>A</title></programme></tv>`,
  );
  for (const { id } of content) {
    expect((await request.post(`/api/tv-guides/${id}/upload?fileName=g.xml`, { data })).status()).toBe(202);
    const state = async () => (await (await request.get(`/api/tv-guides/${id}/fetching`)).json()).state;
    await vi.waitFor(async () => expect(await state()).toBe("DONE"), { timeout: 30_000, interval: 100 });
  }
}

beforeAll(makeRows);

/** Addresses; `:kind` stands for the number of the last of them. */
const screens: Record<string, string> = {
  "sign-in": "/login",
  home: "/",
  "categories, list": "/content/categories",
  "categories, new": "/content/categories/create",
};
for (const kind of kinds) {
  const path = `/content/${kind === "tv-guides" ? "tv-guide" : kind}`;
  screens[`${kind}, list`] = path;
  screens[`${kind}, new`] = `${path}/create`;
  screens[`${kind}, editing`] = `${path}/:${kind}/edit`;
  if (["documentaries", "movies", "concerts", "tv-shows"].includes(kind))
    screens[`${kind}, details`] = `${path}/:${kind}`;
}
const series = "/content/tv-shows/:tv-shows/episodes";
screens.episodes = series;
screens.seasons = `${series}?tab=seasons`;
screens["episode, new"] = `${series}?new=1`;
screens["episode, editing"] = `${series}?episode=:episode`;

interface Shift {
  value: number;
  what: string;
}

/** Records every layout shift without recent input. */
function watchShifts() {
  const seen: Shift[] = [];
  Object.assign(window, { shifts: seen });
  const nameOf = (node?: Node | null) =>
    node instanceof HTMLElement ? `${node.tagName}.${node.className}` : String(node?.nodeName);
  type LayoutShift = PerformanceEntry & {
    value: number;
    hadRecentInput: boolean;
    sources: { node?: Node; previousRect: DOMRect; currentRect: DOMRect }[];
  };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as LayoutShift[])
      if (!hadRecentInput)
        seen.push({
          value,
          what: sources
            .map(
              ({ node, previousRect: from, currentRect: to }) =>
                `${nameOf(node)} ${from.x},${from.y} → ${to.x},${to.y}`,
            )
            .join("; "),
        });
  }).observe({ type: "layout-shift", buffered: true });
}

/**
 * A phone's line (three times as fast, because a development build doesn't compress the panel's files) and half a
 * machine; and answers that come one after the other, as they do from afar.
 */
async function slowDown(page: Page) {
  // Its line and processor are slow, and the machine may be busy otherwise.
  page.setDefaultNavigationTimeout(120_000);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 60,
    downloadThroughput: 2_400_000,
    uploadThroughput: 300_000,
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 2 });
  await page.route("**/api/**", async (route) => {
    await new Promise((done) => setTimeout(done, 100 + ((route.request().url().length * 37) % 250)));
    await route.continue().catch(() => {});
  });
}

async function shiftsOf(name: string, width: number): Promise<Shift[]> {
  const page = await open("about:blank", { width, signedIn: name !== "sign-in", cold: true });
  await slowDown(page);
  await page.addInitScript(watchShifts);
  await page.goto((screens[name] ?? "").replace(/:([a-z-]+)/, (_hole, kind: string) => String(made[kind])));
  await page.waitForLoadState("networkidle");
  const byHand = page.getByRole("button", { name: words.es.lookup.manual });
  if (await byHand.isVisible()) {
    await byHand.click();
    await page.locator(".form-foot").waitFor();
    await page.waitForLoadState("networkidle");
  }
  return page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
}

/** A dashboard, a list, a form and a page; the nightly run looks at every screen in both widths. */
const onEachPush: [string, number][] = [
  ["home", light.width],
  ["movies, list", light.width],
  ["tv-channels, editing", light.width],
  ["movies, list", narrow.width],
  ["tv-shows, details", narrow.width],
];
const everything = [light.width, narrow.width].flatMap((width) =>
  Object.keys(screens).map((name): [string, number] => [name, width]),
);

const shown = nightly ? everything : onEachPush;

test.each(shown)("%s, at %i pixels", async (name, width) => {
  expect(screens).toHaveProperty([name]);
  const shifts = await shiftsOf(name, width);
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  expect(sum, shifts.map(({ value, what }) => `${value.toFixed(4)} ${what}`).join("\n")).toBeLessThan(most);
});
