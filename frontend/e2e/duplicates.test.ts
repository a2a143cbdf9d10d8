// A duplicate of an item, and one new item after the other, against the real server.
import { beforeAll, expect, test } from "vitest";
import { field, heading } from "./screens";
import { categoryId, clientOf, create, expectAccessible, expectPath, pagesOfOneBrowser } from "./support";

const open = pagesOfOneBrowser();
let id: number;

beforeAll(async () => {
  const client = await clientOf();
  const links = [{ quality: "FHD", url: "https://cdn.example.com/dup.m3u8", audioLanguages: ["SPANISH"] }];
  const category = await categoryId(client, "Acción");
  const movie = { title: "Doble", year: 2001, durationMinutes: 90, genres: ["DRAMA"], imdbId: "tt7654321" };
  const body = { ...movie, classification: "PG_13", categoryId: category, links };
  id = (await create(client, "movies", body)).id;
});

test("a duplicate keeps the links and is a new item", async () => {
  const page = await open(`/content/movies/${id}/edit`, { width: 390, scheme: "dark" });
  await page.getByRole("button", { name: "Duplicar" }).focus();
  await page.keyboard.press("Enter");
  await expectPath(page, "/content/movies/create");
  await heading(page, "Crear película").waitFor();
  await expectAccessible(page, "a duplicate");
  await field(page, "Título").fill("Doble, otra vez");
  const created = page.waitForResponse((one) => one.request().method() === "POST" && one.status() === 201);
  await page.getByRole("button", { name: "Crear película" }).click();
  expect(await (await created).json()).toMatchObject({
    title: "Doble, otra vez",
    imdbId: null,
    links: [{ url: "https://cdn.example.com/dup.m3u8" }],
  });
});

test("one new category after the other", async () => {
  const page = await open("/content/categories/create");
  for (const name of ["Primera seguida", "Segunda seguida"]) {
    await field(page, "Descripción").fill(name);
    await field(page, "Descripción en inglés").fill(`${name} (en)`);
    await page.getByRole("button", { name: "Guardar y crear otro" }).click();
    await page.getByText(`Se creó «${name}»`).waitFor();
    await expect.poll(() => field(page, "Descripción").inputValue()).toBe("");
  }
  await expectPath(page, "/content/categories/create");
});
