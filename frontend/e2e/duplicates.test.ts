// A duplicate of an item, and one new item after the other, against the real server.
import { beforeAll, describe, expect, test } from "vitest";
import { field, heading } from "./screens";
import {
  categoryId,
  clientOf,
  create,
  expectAccessible,
  expectPath,
  flowLanguages,
  type Language,
  pagesOfOneBrowser,
} from "./support";

const open = pagesOfOneBrowser();
let id: number;

const words = {
  es: {
    duplicate: "Duplicar",
    create: "Crear película",
    title: "Título",
    description: "Descripción",
    english: "Descripción en inglés",
    another: "Guardar y crear otro",
    created: (name: string) => `Se creó «${name}»`,
  },
  en: {
    duplicate: "Duplicate",
    create: "Create movie",
    title: "Title",
    description: "Description",
    english: "English description",
    another: "Save and create another",
    created: (name: string) => `“${name} (en)” was created`,
  },
} as const;

beforeAll(async () => {
  const client = await clientOf();
  const links = [{ quality: "FHD", url: "https://cdn.example.com/dup.m3u8", audioLanguages: ["SPANISH"] }];
  const category = await categoryId(client, "Acción");
  const movie = { title: "Doble", year: 2001, durationMinutes: 90, genres: ["DRAMA"], imdbId: "tt7654321" };
  const body = { ...movie, classification: "PG_13", categoryId: category, links };
  id = (await create(client, "movies", body)).id;
});

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("a duplicate keeps the links and is a new item", async () => {
    const name = `Doble, otra vez, ${language}`;
    const page = await open(`/content/movies/${id}/edit`, { language, width: 390, scheme: "dark" });
    await page.getByRole("button", { name: w.duplicate }).focus();
    await page.keyboard.press("Enter");
    await expectPath(page, "/content/movies/create");
    await heading(page, w.create).waitFor();
    await expectAccessible(page, "a duplicate");
    await field(page, w.title).fill(name);
    const created = page.waitForResponse((one) => one.request().method() === "POST" && one.status() === 201);
    await page.getByRole("button", { name: w.create }).click();
    expect(await (await created).json()).toMatchObject({
      title: name,
      imdbId: null,
      links: [{ url: "https://cdn.example.com/dup.m3u8" }],
    });
  });

  test("one new category after the other", async () => {
    const page = await open("/content/categories/create", { language });
    for (const name of [`Primera seguida, ${language}`, `Segunda seguida, ${language}`]) {
      await field(page, w.description).fill(name);
      await field(page, w.english).fill(`${name} (en)`);
      await page.getByRole("button", { name: w.another }).click();
      await page.getByText(w.created(name)).waitFor();
      await expect.poll(() => field(page, w.description).inputValue()).toBe("");
    }
    await expectPath(page, "/content/categories/create");
  });
});
