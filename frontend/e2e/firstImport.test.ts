// From a playlist to a guide on the screen, as a content manager does it the first time: upload, preview, categories by group,
// apply; a guide; matches that are made without asking and one that a user decides; the schedule.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { guideOf } from "./guides";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  expectGone,
  expectPath,
  flowLanguages,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
  without,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    create: "Crear fuente",
    title: "Título",
    list: "Archivo de la lista",
    refused: "1 línea rechazada",
    refusedLines: "Líneas rechazadas",
    groups: "Categorías por grupo",
    suggested: "Propuesta: se llama igual",
    news: "Noticias",
    national: "Canales nacionales",
    save: "Guardar",
    apply: "Aplicar",
    dialog: "Aplicar a los canales",
    added: "2 añadidos",
    close: "Cerrar",
    guide: (title: string) => `Archivo de «${title}»`,
    counts: "9 canales, 9 programas",
    compare: "Comparar ahora",
    accept: (name: string, title: string) => `Aceptar «${name}» para «${title}»`,
    done: (title: string, name: string) => `«${title}» es «${name}»`,
    nothing: "Ningún canal espera una decisión.",
    schedule: "Programación",
  },
  en: {
    create: "Create source",
    title: "Title",
    list: "Playlist file",
    refused: "1 refused line",
    refusedLines: "Refused lines",
    groups: "Categories by group",
    suggested: "Suggested: it has the same name",
    news: "News",
    national: "National channels",
    save: "Save",
    apply: "Apply",
    dialog: "Apply to the channels",
    added: "2 added",
    close: "Close",
    guide: (title: string) => `File for “${title}”`,
    counts: "9 channels, 9 programmes",
    compare: "Compare now",
    accept: (name: string, title: string) => `Accept “${name}” for “${title}”`,
    done: (title: string, name: string) => `“${title}” is “${name}”`,
    nothing: "No channels are waiting for a decision.",
    schedule: "Schedule",
  },
} as const;

/** The first channel is linked without asking: its id and its name are the guide's. */
const listOf = (place: string) => `#EXTM3U
#EXTINF:-1 tvg-id="kaldera" group-title="Noticias",Kaldera Plus HD
http://tv.example/kaldera.m3u8
#EXTINF:-1 group-title="Regiones",TV ${place}
http://tv.example/region.m3u8
#EXTINF:-1,Sin dirección
`;

/** Nightly: the screen fits on a tablet and a phone, and is accessible there. */
async function expectToFit(page: Page, what: string) {
  if (!nightly) return;
  for (const width of [768, narrow.width]) {
    await page.setViewportSize({ width, height: 900 });
    await expectAccessible(page, `${what}, ${width} px`);
    const isWider = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
    expect(await page.evaluate(isWider), `${what}, ${width} px`).toBe(false);
  }
  await page.setViewportSize({ width: light.width, height: 900 });
}

/** Channels of the guide that the channels have, by the titles of these. */
async function links(page: Page): Promise<Record<string, string | null>> {
  const answer = await page.request.get("/api/tv-channels");
  const { content } = (await answer.json()) as {
    content: { title: string; epgId: string | null; tvGuideId: number | null }[];
  };
  return Object.fromEntries(
    content.map(({ title, epgId, tvGuideId }) => [title, tvGuideId === null ? null : epgId]),
  );
}

test.each(flowLanguages)("from a first list to its guide on the screen (%s)", async (language) => {
  const w = words[language];
  const place = language === "es" ? "Ribera" : "Sierra";
  const title = `Guía ${place}`;
  const file = (name: string, content: string) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(content),
  });

  await without(await clientOf(), "tv-channels", "tv-guides");
  const page = await open("/content/playlists", { language });
  await page.getByRole("link", { name: w.create }).first().click();
  // The list behind it has a search by title.
  await page.getByRole("heading", { name: w.create }).waitFor();
  await page.getByLabel(w.title).fill(`Proveedor ${place}`);
  await page.getByRole("button", { name: w.create }).click();
  await expectPath(page, /\/content\/playlists\/\d+$/);
  await page.getByLabel(w.list).setInputFiles(file("lista.m3u", listOf(place)));

  // What is in it, and what was left out.
  await page.getByText(`TV ${place}`, { exact: true }).waitFor();
  await page.getByRole("button", { name: w.refused }).click();
  const lines = page.getByRole("dialog", { name: w.refusedLines });
  await lines.waitFor();
  await expectAccessible(page, "what was left out of a list");
  await page.keyboard.press("Escape");
  await expectGone(lines);
  await expectToFit(page, "what a first list holds");

  await page.getByRole("button", { name: w.groups }).click();
  const groups = page.getByRole("dialog", { name: w.groups });
  await groups.getByText(w.suggested).waitFor();
  await expect.poll(() => groups.getByRole("combobox", { name: "Noticias" }).inputValue()).toBe(w.news);
  await groups.getByRole("combobox", { name: "Regiones" }).click();
  await page.getByRole("option", { name: w.national }).click();
  await expectAccessibleInBothSchemes(page, "categories by group");
  await groups.getByRole("button", { name: w.save, exact: true }).click();
  await expectGone(groups);
  expect(Object.keys(await links(page)), "nothing changes by reading").not.toContain(`TV ${place}`);

  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: w.apply, exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: w.dialog });
  // It gets its name a moment after it is there.
  await dialog.waitFor();
  await dialog.getByRole("button", { name: w.apply, exact: true }).click();
  await dialog.getByText(w.added).waitFor();
  await dialog.getByRole("button", { name: w.close }).last().click();

  // Inactive until it is read: an active one would be fetched from its address.
  const { id } = await create(await clientOf(), "tv-guides", {
    title,
    url: "http://127.0.0.1:9/g.xml",
    active: false,
    gzip: false,
  });
  await page.goto("/content/guide-health");
  await page.getByLabel(w.guide(title), { exact: true }).setInputFiles(file("guia.xml", guideOf(place)));
  await page.getByRole("listitem").filter({ hasText: title }).getByText(w.counts).waitFor();
  await page.request.patch(`/api/tv-guides/${id}`, { data: { active: true } });

  await page.goto("/content/epg-review");
  await page.getByRole("button", { name: w.compare }).click();
  const best = page.getByRole("button", { name: w.accept(`Canal ${place}`, `TV ${place}`) });
  await best.waitFor();
  await expectToFit(page, "the review after a first list");
  await best.focus();
  await page.keyboard.press("Enter");
  await page.getByText(w.done(`TV ${place}`, `Canal ${place}`)).waitFor();
  await page.getByText(w.nothing).waitFor();
  const linked = { "Kaldera Plus HD": "kaldera", [`TV ${place}`]: "c12" };
  await expect.poll(() => links(page)).toMatchObject(linked);

  await page.goto("/content/guide");
  const grid = page.getByRole("grid", { name: w.schedule });
  for (const [channel, programme] of [
    ["Kaldera Plus HD", "Ahora en Kaldera Plus"],
    [`TV ${place}`, `Ahora en Canal ${place}`],
  ] as const)
    await grid
      .getByRole("row")
      .filter({ hasText: channel })
      .getByRole("gridcell", { name: programme })
      .first()
      .waitFor();
  await expectToFit(page, "the schedule after a first list");
});
