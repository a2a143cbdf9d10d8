// Two films that are the same become one: from the board to the comparison, and back out of the trash.
import { beforeAll, describe, expect, test } from "vitest";
import { heading } from "./screens";
import {
  categoryId,
  clientOf,
  create,
  expectAccessible,
  flowLanguages,
  type Language,
  narrow,
  nightly,
  pagesOfOneBrowser,
  without,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    groups: /^1 grupo/,
    title: "Posibles duplicados",
    compare: /^Comparar y combinar Nosferatu/,
    dialog: "Combinar duplicados",
    merge: "Combinar",
    merged: "Se combinaron en «Nosferatu»",
    none: /^No hay posibles duplicados/,
    fromOther: "del otro",
  },
  en: {
    groups: /^1 group/,
    title: "Possible duplicates",
    compare: /^Compare and merge Nosferatu/,
    dialog: "Merge duplicates",
    merge: "Merge",
    merged: "Merged into “Nosferatu”",
    none: /^No possible duplicates/,
    fromOther: "from the other",
  },
} as const;

let ids: number[] = [];

async function twins() {
  const client = await clientOf();
  await without(client, "movies", "documentaries", "sports", "concerts");
  const category = await categoryId(client, "Acción");
  const film = { year: 1922, durationMinutes: 94, classification: "G", categoryId: category };
  const link = (name: string) => ({
    quality: "HD",
    url: `https://cdn.example.com/${name}.m3u8`,
    audioLanguages: ["SPANISH"],
  });
  const first = await create(client, "movies", { ...film, title: "Nosferatu", links: [link("a")] });
  const second = await create(client, "movies", {
    ...film,
    title: "NOSFERATU",
    reference: "B-2",
    rating: 7.9,
    links: [link("a"), link("b")],
  });
  ids = [first.id, second.id];
}

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];
  beforeAll(twins);

  test("the board leads to the pair, which becomes one film, and the other is in the trash", async () => {
    const page = await open("/content/completeness", { language });
    // The same title and year; the same first address too.
    await page.getByRole("link", { name: w.groups }).first().click();
    await heading(page, w.title).waitFor();
    await expectAccessible(page, "likely duplicates");
    await page.getByRole("button", { name: w.compare }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: w.dialog });
    await dialog.getByText(w.fromOther).first().waitFor();
    await expectAccessible(page, "the comparison of two films");
    await dialog.getByRole("button", { name: w.merge }).click();
    await page.getByText(w.merged).waitFor();
    await page.getByText(w.none).waitFor();
    const kept = await (await page.request.get(`/api/movies/${ids[0]}`)).json();
    expect(kept).toMatchObject({ title: "Nosferatu", rating: 7.9, reference: "B-2", version: 2 });
    expect(kept.links).toHaveLength(2);
    expect((await page.request.get(`/api/movies/${ids[1]}`)).status()).toBe(404);
    const trash = await (await page.request.get("/api/trash")).json();
    expect(trash.content[0]).toMatchObject({ kind: "movies", itemId: ids[1] });
  });
});

test.runIf(nightly)("the comparison fits a phone", async () => {
  await twins();
  const page = await open("/content/duplicates", narrow);
  await page.getByRole("button", { name: words.es.compare }).click();
  await page.getByRole("dialog").getByText(words.es.fromOther).first().waitFor();
  await expectAccessible(page, "the comparison on a phone");
  const overflows = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(overflows).toBe(false);
});
