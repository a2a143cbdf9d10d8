// Jobs that are under way, as they go on: in two browsers at once, in two tabs of one browser, and behind a proxy that
// keeps the events.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blank, clientOf, create, expectAccessible, expectGone, narrow, pagesOfOneBrowser } from "./support";

const open = pagesOfOneBrowser();

/** Requests for the playlist that wait for their answer: the reading of the source goes on as long. */
const waiting: ServerResponse[] = [];
let server: Server;
let address = "";

beforeAll(async () => {
  server = createServer((_request, response) => {
    waiting.push(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lista.m3u`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function answerAll() {
  for (const response of waiting.splice(0))
    response.end("#EXTM3U\n#EXTINF:-1,Canal Siete\nhttp://tv.example/7.m3u8\n");
}

async function beginReading(title: string) {
  const client = await clientOf();
  const { id } = await create(client, "playlist-sources", { title, url: address });
  expect((await client.request.post(`/api/playlist-sources/${id}/runs`, { data: {} })).ok()).toBe(true);
}

const job = (page: Page) => page.getByRole("button", { name: /^1 (tarea en curso|job under way)$/ });

test("a job is seen in two browsers and in two tabs while it goes on, and no longer", async () => {
  const one = await open("/content/playlists", { events: true });
  const other = await open("/", { events: true, language: "en" });
  const holdsStream = () =>
    one.evaluate(async () =>
      (await navigator.locks.query()).held?.some(({ name }) => name === "cartelera-events"),
    );
  await expect.poll(holdsStream).toBe(true);
  const tab = await one.context().newPage();
  const streams: string[] = [];
  tab.on("request", (request) => request.url().endsWith("/api/events") && streams.push(request.url()));
  await tab.goto("/");

  await beginReading("Proveedor lento");
  for (const page of [one, other, tab]) await job(page).waitFor();
  await job(other).click();
  const entry = other.getByRole("menuitem", {
    name: /Playlist being read.*Proveedor lento · started by admin/,
  });
  await entry.waitFor();
  answerAll();
  for (const page of [one, other, tab]) await expectGone(job(page));
  // The list was read again without a reload.
  await one.getByRole("row").filter({ hasText: "Proveedor lento" }).getByText("Terminada").waitFor();
  expect(streams, "two tabs of a browser have one stream").toEqual([]);
});

test("where a proxy keeps the events, the same is seen, later", async () => {
  // The clock of a context stays as it is from there on.
  const page = await open(blank, { cold: true });
  await page.clock.install();
  // It takes the request and never answers.
  await page.route("**/api/events", () => {});
  await page.goto("/content/playlists");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await beginReading("Proveedor lejano");
  await expect
    .poll(async () => {
      await page.clock.fastForward(60_000);
      return job(page).isVisible();
    })
    .toBe(true);
  await job(page).click();
  await page.getByRole("menuitem", { name: /Proveedor lejano/ }).waitFor();
  await expectAccessible(page, "jobs that are under way");
  await page.setViewportSize({ width: narrow.width, height: 900 });
  await expectAccessible(page, "jobs that are under way, on a phone");
  answerAll();
  await expect
    .poll(async () => {
      await page.clock.fastForward(60_000);
      return job(page).isVisible();
    })
    .toBe(false);
});
