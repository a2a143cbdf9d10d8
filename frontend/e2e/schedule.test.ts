// A guide to the schedule on the screen: uploaded, read, used by keyboard, looked at on a phone; in both languages.
import { expect, test } from "vitest";
import { guideTime } from "./guides";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  flowLanguages,
  narrow,
  pagesOfOneBrowser,
  url,
  without,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    grid: "Programación",
    file: (title: string) => `Archivo de «${title}»`,
    read: "Leída",
    counts: "2 canales, 8 programas",
    without: "No tiene guía asignada",
    search: "Buscar canal o programa",
    show: "Canales que se muestran",
    close: "Cerrar",
    readNow: (title: string) => `Leer «${title}» ahora`,
    lastRead: (title: string) => `Última lectura de «${title}»`,
    fetching: "Última lectura",
    gaps: /hueco/,
    guide: (title: string) => `Guía: ${title}`,
    remove: (filter: string) => `Quitar el filtro «${filter}»`,
    settings: (title: string) => `Ajustes de «${title}»`,
  },
  en: {
    grid: "Schedule",
    file: (title: string) => `File for “${title}”`,
    read: "Read",
    counts: "2 channels, 8 programmes",
    without: "No guide is chosen",
    search: "Search channels or programmes",
    show: "Channels shown",
    close: "Close",
    readNow: (title: string) => `Read “${title}” now`,
    lastRead: (title: string) => `Last read of “${title}”`,
    fetching: "Last read",
    gaps: /gap/,
    guide: (title: string) => `Guide: ${title}`,
    remove: (filter: string) => `Remove the filter “${filter}”`,
    settings: (title: string) => `Settings for “${title}”`,
  },
} as const;

const hour = 3_600_000;
/** The beginning of this hour: days of the schedule are those of UTC here. */
const now = () => Math.floor(Date.now() / hour) * hour;

/** Programmes one behind the other from the beginning of this hour on: within it, they are of one day. */
function guide(channels: Record<string, string[]>, length = hour / 4): string {
  const programmes = Object.entries(channels).flatMap(([channel, titles]) =>
    titles.map((title, index) => {
      const start = now() + index * length;
      return (
        `<programme channel="${channel}" start="${guideTime(start)}" stop="${guideTime(start + length)}">` +
        `<title lang="es">${title}</title><desc lang="es">Sobre ${title}.</desc></programme>`
      );
    }),
  );
  const named = Object.keys(channels).map(
    (channel) => `<channel id="${channel}"><display-name>Canal ${channel}</display-name></channel>`,
  );
  return `<tv>${named.join("")}${programmes.join("")}</tv>`;
}

/** A guide and three channels: two of the guide, one without. */
async function lineUp(title: string): Promise<number> {
  const client = await clientOf();
  await without(client, "tv-channels");
  const name = `Guía ${title} ${Date.now()}`;
  const category = await create(client, "categories", {
    description: name,
    englishDescription: `${name} en`,
    type: "TV_CHANNEL",
  });
  const { id } = await create(client, "tv-guides", {
    title,
    url: "http://127.0.0.1:9/g.xml",
    active: false,
    gzip: false,
  });
  for (const [channelNumber, epgId] of [
    [7, "siete"],
    [8, "ocho"],
    [9, null],
  ] as const) {
    const channel = await create(client, "tv-channels", {
      channelNumber,
      title: `Canal ${channelNumber}`,
      tvGuideId: epgId && id,
      epgId,
      categories: [category.id],
      urlType: "EXTERNAL",
      url: `http://tv.example/${channelNumber}.m3u8`,
      active: true,
    });
    if (epgId) continue;
    // Otherwise it may wait for a decision, once it was compared with the guides of other tests.
    const decided = await client.request.put(`/api/tv-channels/${channel.id}/guide-link`, {
      headers: { origin: url },
      data: { verdict: "NO_GUIDE" },
    });
    expect(decided.status(), await decided.text()).toBe(200);
  }
  // The job does not fetch an inactive guide; its programmes count once it is active.
  return id;
}

test.each(flowLanguages)("an uploaded guide becomes the schedule (%s)", async (language) => {
  const w = words[language];
  const title = `Nacional ${language} ${Date.now()}`;
  const id = await lineUp(title);
  const page = await open("/content/guide-health", { language });
  await page.getByLabel(w.file(title), { exact: true }).setInputFiles({
    name: "guia.xml",
    mimeType: "application/xml",
    buffer: Buffer.from(
      guide({ siete: ["Noticias", "Cine", "Fútbol", "Teatro"], ocho: ["Ópera", "Jazz", "Danza", "Circo"] }),
    ),
  });
  const card = page.getByRole("listitem").filter({ hasText: title });
  await card.getByText(w.counts).waitFor();
  await card.getByText(w.read, { exact: true }).waitFor();
  await expectAccessibleInBothSchemes(page, "the state of guides");
  await card.getByRole("button", { name: w.settings(title) }).click();
  await page.getByRole("dialog").waitFor();
  await expectAccessible(page, "the settings of a guide");
  await page.keyboard.press("Escape");
  await page.request.patch(`/api/tv-guides/${id}`, { data: { active: true } });

  // Guides are read from their list and their own page, too.
  await page.goto("/content/tv-guide");
  await page.getByRole("button", { name: w.readNow(title) }).waitFor();
  await page.getByRole("button", { name: w.lastRead(title) }).click();
  await page.getByRole("dialog", { name: title }).getByText(w.counts).waitFor();
  await expectAccessible(page, "the newest fetch of a guide");
  await page.goto(`/content/tv-guide/${id}/edit`);
  const fetching = page.getByRole("region", { name: w.fetching });
  await fetching.getByText(w.counts).waitFor();
  await expectAccessibleInBothSchemes(page, "a guide's own page");

  // Each number leads to the channels that it counts.
  const grid = page.getByRole("grid", { name: w.grid });
  await page.goto("/content/guide-health");
  await card.getByRole("link", { name: w.gaps }).first().click();
  await page.getByRole("button", { name: w.remove(w.guide(title)) }).waitFor();
  expect(new URL(page.url()).searchParams.get("hours")).toBe("24");
  await grid.getByRole("row").filter({ hasText: "Canal 7" }).waitFor();
  expect(await grid.getByRole("rowheader").count()).toBe(2);
  await expectAccessible(page, "the schedule behind a number");
  await page.goto("/content/guide-health");
  await page.getByRole("link", { name: w.without }).click();
  await grid.getByRole("row").filter({ hasText: "Canal 9" }).waitFor();
  await page.getByRole("button", { name: w.remove(w.without) }).click();
  await page.getByLabel(w.show).selectOption("");

  // Now and next in the list of channels, without a choice of columns.
  await page.goto("/content/tv-channels");
  await page
    .getByRole("cell")
    .filter({ hasText: /Noticias|Cine|Fútbol|Teatro/ })
    .first()
    .waitFor();
  await expectAccessible(page, "now and next in the list of channels");

  await page.goto("/content/guide");
  const cell = (text: string) => grid.getByRole("gridcell", { name: text });
  await cell("Noticias").waitFor();
  await cell(w.without).first().waitFor();
  await expectAccessibleInBothSchemes(page, "the schedule");

  // Arrow keys move the focus: along a channel, and at the same time to the next one.
  await cell("Noticias").focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => cell("Ópera").evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => cell("Jazz").evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "Jazz" });
  await drawer.getByText("Sobre Jazz.").waitFor();
  await drawer.getByText(title).waitFor();
  await expectAccessible(page, "a programme");
  await drawer.getByRole("button", { name: w.close }).click();
  await drawer.waitFor({ state: "detached" });

  await page.getByRole("searchbox", { name: w.search }).fill("futbol");
  await cell("Ópera").waitFor({ state: "detached" });
  await cell("Noticias").waitFor();
  await page.getByRole("searchbox", { name: w.search }).fill("");
  await page.getByLabel(w.show).selectOption("without");
  await cell("Noticias").waitFor({ state: "detached" });
  await cell(w.without).first().waitFor();
});

test("on a phone it is now and next, and on a tablet still a grid", async () => {
  const { request } = await clientOf();
  const id = await lineUp(`Móvil ${Date.now()}`);
  const file = guide({ siete: ["Noticias", "Cine"], ocho: ["Ópera"] }, hour);
  const upload = await request.post(`/api/tv-guides/${id}/upload`, {
    data: Buffer.from(file),
    headers: { "content-type": "application/octet-stream" },
  });
  expect(upload.status()).toBe(202);
  await request.patch(`/api/tv-guides/${id}`, { data: { active: true } });
  const isRead = async () => (await (await request.get(`/api/tv-guides/${id}/fetching`)).json()).state;
  await expect.poll(isRead).toBe("DONE");
  const page = await open("/content/guide", narrow);
  const channel = page.getByRole("button", { name: /Noticias/ });
  await channel.getByText(/Cine/).waitFor();
  await expectAccessible(page, "now and next on a phone");
  await channel.click();
  await page.getByRole("dialog", { name: "Noticias" }).getByText("Sobre Noticias.").waitFor();
  await expectAccessible(page, "a programme on a phone");
  const tablet = await open("/content/guide", { width: 768, scheme: "light" });
  await tablet.getByRole("gridcell", { name: "Noticias" }).waitFor();
  await expectAccessible(tablet, "the schedule on a tablet");
});
