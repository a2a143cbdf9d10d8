// A host whose links all fail is one incident, and a report follows its link until it is resolved; in both languages.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  expectGone,
  flowLanguages,
  type Language,
  pagesOfOneBrowser,
  setServerClock,
  without,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    incidents: "Servidores con incidencias",
    incident: (failing: number, links: number) => `127.0.0.1: fallan ${failing} de ${links} enlaces a la vez`,
    hosts: "1 servidor con enlaces que fallan",
    states: "Enlaces por estado",
    suspect: /^En duda 4$/,
    up: /^Se reproduce 4$/,
    down: "Caído",
    report: (id: number) => `Reporte ${id}`,
    links: "Enlaces del contenido",
    doubted: "En duda",
    broken: "El servidor respondió con un error (404)",
    plays: "Se reproduce",
    probed: "Comprobado:",
    next: "Qué puedes hacer",
    resolve: "Marcar como resuelto",
    resolved: "Se cambió 1 reporte",
    again: "El enlace vuelve a reproducirse",
    list: "Vuelve a verse",
    resolveAll: "Resolver todos los reportes del contenido",
    allResolved: "Se cambiaron 2 reportes",
    note: /El enlace vuelve a reproducirse/,
  },
  en: {
    incidents: "Hosts with incidents",
    incident: (failing: number, links: number) =>
      `127.0.0.1: ${failing} of ${links} links are failing at once`,
    hosts: "1 host with failing links",
    states: "Links by state",
    suspect: /^Suspect 4$/,
    up: /^Up 4$/,
    down: "Down",
    report: (id: number) => `Report ${id}`,
    links: "Content links",
    doubted: "Suspect",
    broken: "The server answered with an error (404)",
    plays: "Up",
    probed: "Checked:",
    next: "What you can do",
    resolve: "Mark as resolved",
    resolved: "1 report changed",
    again: "The link plays again",
    list: "Plays again",
    resolveAll: "Resolve all reports on the content",
    allResolved: "2 reports changed",
    note: /The link plays again/,
  },
} as const;

/** Packets of MPEG-TS. */
const packets = Buffer.concat(
  Array.from({ length: 20 }, () => Buffer.concat([Buffer.from([0x47, 1, 0, 0x10]), Buffer.alloc(184)])),
);

let provider: Server;
let address = "";
let isPlaying = false;

beforeAll(async () => {
  provider = createServer((_, response) => {
    if (!isPlaying) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(packets);
  });
  await new Promise<void>((listening) => provider.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});

afterAll(() => provider.close());

/** Channels of the provider, each with its own address. */
async function channels(language: Language, titles: string[]): Promise<number[]> {
  const client = await clientOf();
  await without(client, "tv-channels");
  const name = `Incidencias ${language} ${titles.length}`;
  const category = await create(client, "categories", {
    description: name,
    englishDescription: `${name} en`,
    type: "TV_CHANNEL",
  });
  const ids: number[] = [];
  for (const [index, title] of titles.entries()) {
    const { id } = await create(client, "tv-channels", {
      channelNumber: index + 1,
      title,
      categories: [category.id],
      urlType: "EXTERNAL",
      url: `${address}/${language}/${index}.ts`,
    });
    ids.push(id);
  }
  return ids;
}

/** Requests a probe of every link, one by one. */
async function probeAll() {
  const { request } = await clientOf();
  const { content } = await (await request.get("/api/links?_size=100")).json();
  for (const { id } of content) expect((await request.post(`/api/links/${id}/probe`)).status()).toBe(202);
}

/** The channel of every link, with the link's state. */
async function states(): Promise<string[]> {
  const { request } = await clientOf();
  const { content } = await (await request.get("/api/links?_size=100")).json();
  return content.map(({ title, state }: { title: string; state: string }) => `${title}: ${state}`).sort();
}

/** Waits until the channels' links, and no others, are in this state. A screen reads them twice a minute only. */
async function untilAll(titles: string[], state: string) {
  const expected = titles.map((title) => `${title}: ${state}`).sort();
  await expect.poll(states, { timeout: 60_000, interval: 250 }).toEqual(expected);
}

test.each(flowLanguages)(
  "in %s: links that fail together are one incident of their host",
  async (language) => {
    const w = words[language];
    isPlaying = false;
    const titles = ["Canal Uno", "Canal Dos", "Canal Tres", "Canal Cuatro"];
    await channels(language, titles);
    await untilAll(titles, "SUSPECT");
    const page = await open("/content/links", { language });
    const incidents = page.getByRole("list", { name: w.incidents });
    await incidents.getByRole("link", { name: w.incident(4, 4) }).waitFor({ timeout: 60_000 });
    expect(await incidents.getByRole("listitem").count()).toBe(1);
    const states = page.getByRole("list", { name: w.states });
    await states.getByRole("link", { name: w.suspect }).waitFor();
    expect(await states.getByText(w.down, { exact: true }).count(), "a minute is no verdict").toBe(0);
    await page.getByText(w.hosts).click();
    await page.getByRole("table").getByRole("link", { name: "127.0.0.1" }).waitFor();

    await expectAccessibleInBothSchemes(page, "an incident of a host");
    for (const width of [768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await incidents.waitFor();
      await expectAccessible(page, `an incident of a host at ${width}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `at ${width}`).toBeLessThanOrEqual(0);
    }

    isPlaying = true;
    await probeAll();
    await untilAll(titles, "UP");
    await page.reload();
    await states.getByRole("link", { name: w.up }).waitFor({ timeout: 60_000 });
    await expectGone(incidents);
  },
);

test.each(flowLanguages)("in %s: a report follows its link until it is resolved", async (language) => {
  const w = words[language];
  isPlaying = false;
  const title = `Canal Siete ${language}`;
  const [channel] = await channels(language, [title]);
  const { id } = await create(await clientOf(), "issue-reports", {
    title: `No se ve ${language}`,
    contentType: "TV",
    contentId: channel,
    reportType: "NOT_LOADING",
  });
  // Probed because of the report, by the server's own job.
  await untilAll([title], "SUSPECT");
  const page = await open(`/issues?report=${id}`, { language });
  const drawer = page.getByRole("dialog", { name: w.report(id) });
  const links = drawer.getByRole("region", { name: w.links });
  await links.getByText(w.broken).waitFor();
  await links.getByText(w.doubted, { exact: true }).waitFor();
  await expectAccessible(page, "a report with a link that fails");

  isPlaying = true;
  await probeAll();
  await untilAll([title], "UP");
  await page.reload();
  await links.getByText(w.plays, { exact: true }).first().waitFor();
  await links.getByText(w.probed).waitFor();
  await drawer.getByRole("region", { name: w.next }).getByRole("button", { name: w.resolve }).click();
  await page.getByRole("dialog").last().getByRole("button", { name: w.resolve, exact: true }).click();
  await page.getByRole("alert").getByText(w.resolved).waitFor();
  await expect
    .poll(async () => (await (await page.request.get(`/api/issue-reports/${id}`)).json()).status)
    .toBe("RESUELTO");
});

/** Has the channel's link, which is the only one, probed until it is in this state. */
async function probeUntil(title: string, state: string) {
  const probed = async () => {
    await probeAll();
    return states();
  };
  await expect.poll(probed, { timeout: 60_000, interval: 1_000 }).toEqual([`${title}: ${state}`]);
}

let clock = 0;

/** Moves the server's clock on: by it links go down and come up. */
function forward(minutes: number) {
  clock += minutes;
  return setServerClock(clock);
}

test.each(flowLanguages)(
  "in %s: a link that was down plays again, and one click resolves all reports on its channel",
  async (language) => {
    const w = words[language];
    isPlaying = false;
    const title = `Canal Ocho ${language}`;
    const [channel] = await channels(language, [title]);
    const ids: number[] = [];
    for (const reportType of ["NOT_LOADING", "BUFFERING"]) {
      const report = { title: `Se cae ${language}`, contentType: "TV", contentId: channel, reportType };
      ids.push((await create(await clientOf(), "issue-reports", report)).id);
    }
    await probeUntil(title, "SUSPECT");
    // Down are links that failed three times over at least ten minutes.
    await forward(11);
    await probeUntil(title, "DOWN");
    const page = await open(`/issues?report=${ids[1]}`, { language });
    const drawer = page.getByRole("dialog", { name: w.report(ids[1] as number) });
    const links = drawer.getByRole("region", { name: w.links });
    await links.getByText(w.down, { exact: true }).waitFor();
    await expectAccessibleInBothSchemes(page, "a report with a link that is down");

    isPlaying = true;
    await probeUntil(title, "RECOVERING");
    await forward(6);
    await probeUntil(title, "UP");
    await page.goto("/issues?_sort=-id");
    await page.getByText(w.list, { exact: true }).first().waitFor();
    await page.goto(`/issues?report=${ids[1]}`);
    await links.getByText(w.again).waitFor();
    for (const width of [768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await links.getByText(w.again).waitFor();
      await expectAccessible(page, `a report whose link plays again at ${width}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `at ${width}`).toBeLessThanOrEqual(0);
    }
    await links.getByRole("button", { name: w.resolveAll }).click();
    await page.getByRole("alert").getByText(w.allResolved).waitFor();
    for (const id of ids) {
      const report = await (await page.request.get(`/api/issue-reports/${id}`)).json();
      expect(report.status).toBe("RESUELTO");
      expect(report.history.at(-1).note).toMatch(w.note);
    }
  },
);
