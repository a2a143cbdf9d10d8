// Links of channels in the panel: one that plays, one that does not, and a requested probe; in both languages.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  flowLanguages,
  type Language,
  narrow,
  pagesOfOneBrowser,
  without,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    title: "Enlaces",
    up: "Se reproduce",
    suspect: "En duda",
    broken: "El servidor respondió con un error (404)",
    check: (title: string) => `Comprobar «${title}» ahora`,
    checked: (title: string) => `«${title}» se comprueba en unos segundos`,
    history: (title: string) => `Historial del enlace de «${title}»`,
    noChanges: "No ha cambiado en los últimos 180 días.",
    states: "Enlaces por estado",
  },
  en: {
    title: "Links",
    up: "Up",
    suspect: "Suspect",
    broken: "The server answered with an error (404)",
    check: (title: string) => `Check “${title}” now`,
    checked: (title: string) => `“${title}” will be checked within seconds`,
    history: (title: string) => `Link history of “${title}”`,
    noChanges: "It has not changed in the last 180 days.",
    states: "Links by state",
  },
} as const;

/** Packets of MPEG-TS. */
const packets = Buffer.concat(
  Array.from({ length: 20 }, () => Buffer.concat([Buffer.from([0x47, 1, 0, 0x10]), Buffer.alloc(184)])),
);

let provider: Server;
let address = "";
/** What providers serve by now. */
const playing = new Set(["/uno.ts"]);

beforeAll(async () => {
  provider = createServer((request, response) => {
    if (!playing.has(request.url ?? "")) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(packets);
  });
  await new Promise<void>((listening) => provider.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});

afterAll(() => provider.close());

test.each(flowLanguages)("in %s: what plays, what does not, and why", async (language: Language) => {
  const w = words[language];
  const client = await clientOf();
  await without(client, "tv-channels");
  playing.delete("/dos.ts");
  const name = `Enlaces ${language} ${Date.now()}`;
  const category = await create(client, "categories", {
    description: name,
    englishDescription: `${name} en`,
    type: "TV_CHANNEL",
  });
  for (const [channelNumber, title, path] of [
    [1, "Canal Uno", "/uno.ts"],
    [2, "Canal Dos", "/dos.ts"],
  ] as const)
    await create(client, "tv-channels", {
      channelNumber,
      title,
      categories: [category.id],
      urlType: "EXTERNAL",
      url: `${address}${path}`,
    });
  /** Waits until the server's own job has found the second channel's link so. A screen reads links twice a minute only. */
  const untilFound = (state: string) =>
    expect
      .poll(
        async () => {
          const { content } = await (await client.request.get("/api/links?_size=10")).json();
          return content
            .map((link: { title: string; state: string }) => `${link.title}: ${link.state}`)
            .sort();
        },
        { timeout: 60_000, interval: 250 },
      )
      .toEqual([`Canal Dos: ${state}`, "Canal Uno: UP"]);
  // A background job of the server imports and probes links.
  await untilFound("SUSPECT");
  const page = await open("/content/links", { language });
  await page.getByRole("heading", { level: 1, name: w.title }).waitFor();
  const row = (title: string) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name: title, exact: true }) });
  await row("Canal Uno").getByText(w.up, { exact: true }).first().waitFor();
  await row("Canal Dos").getByText(w.suspect, { exact: true }).waitFor();
  await row("Canal Dos").getByText(w.broken).waitFor();
  await expectAccessibleInBothSchemes(page, "links");

  playing.add("/dos.ts");
  await row("Canal Dos")
    .getByRole("button", { name: w.check("Canal Dos") })
    .focus();
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText(w.checked("Canal Dos")).waitFor();
  await untilFound("UP");
  await page.reload();
  await row("Canal Dos").getByText(w.up, { exact: true }).first().waitFor();

  await row("Canal Dos")
    .getByRole("button", { name: w.history("Canal Dos") })
    .click();
  const dialog = page.getByRole("dialog", { name: w.history("Canal Dos") });
  await dialog.getByText(w.noChanges).waitFor();
  await expectAccessible(page, "the history of a link");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("list", { name: w.states }).getByRole("link").first().click();
  await expect.poll(() => new URL(page.url()).searchParams.get("state")).toBe("UP");
});

test("on a phone links are cards", async () => {
  const page = await open("/content/links", narrow);
  await page.getByRole("heading", { level: 1, name: words.es.title }).waitFor();
  await page.getByRole("list", { name: words.es.states }).waitFor();
  await expectAccessible(page, "links on a phone");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
