// What sports, documentaries and categories have of their own.
import { beforeEach, expect, test } from "vitest";
import { addLink, choose, dismissToast, field, heading, row } from "./screens";
import {
  categoryId,
  clientOf,
  create,
  expectGone,
  expectPath,
  nightly,
  pagesOfOneBrowser,
  without,
} from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;
const link = {
  url: "https://cdn.example.com/final.m3u8",
  quality: w.values.fullHd,
  audio: [w.values.spanish],
};

beforeEach(async () => without(await clientOf(), "sports", "documentaries", "movies"));

test("a sport keeps its preview visible: small, as large as the window, hidden", async () => {
  const page = await open("/content/sports/create");
  await field(page, w.fields.title).fill("Final de la copa");
  await field(page, w.fields.duration).fill("120");
  await choose(page, w.fields.category, "Torneos");
  await choose(page, w.fields.genres, "Fútbol");
  await field(page, w.media.backgroundUrl).fill("https://images.example.com/backgrounds/final.jpg");

  const frame = page.getByRole("region", { name: w.media.background });
  await frame.getByRole("img", { name: w.media.background }).waitFor();
  const inline = await frame.boundingBox();
  await frame.getByRole("button", { name: w.media.minimize }).click();
  await frame.getByRole("button", { name: w.media.restore }).waitFor();
  // Small, it stays where it is however far the form is read.
  await expect.poll(async () => (await frame.boundingBox())?.width).not.toBe(inline?.width);
  const small = await frame.boundingBox();
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  expect(await frame.boundingBox()).toEqual(small);
  await page.evaluate(() => window.scrollTo(0, 0));

  await frame.getByRole("button", { name: w.media.maximize }).click();
  const large = page.getByRole("dialog", { name: w.media.background });
  await large.waitFor();
  await expect
    .poll(async () => (await large.boundingBox())?.width ?? 0)
    .toBeGreaterThan((inline?.width ?? 0) * 2);
  await page.keyboard.press("Escape");
  await expectGone(large);

  await frame.getByRole("button", { name: w.media.close }).click();
  await expectGone(frame.getByRole("img", { name: w.media.background }));
  const elsewhere = frame.getByRole("link", { name: w.media.open });
  expect(await elsewhere.getAttribute("href")).toBe("https://images.example.com/backgrounds/final.jpg");
  expect(await elsewhere.getAttribute("target")).toBe("_blank");
  await frame.getByRole("button", { name: w.media.show }).click();
  await frame.getByRole("img", { name: w.media.background }).waitFor();

  await addLink(page, link, w);
  await page.getByRole("button", { name: "Crear evento deportivo", exact: true }).click();
  await dismissToast(page, w.sports.created, w);
  await expectPath(page, "/content/sports");
  await row(page, "Final de la copa").getByText("Fútbol", { exact: true }).waitFor();
});

test.runIf(nightly)("a link of a sport is turned off, and that counts once the sport is saved", async () => {
  const client = await clientOf();
  const { id } = await create(client, "sports", {
    title: "Final de la copa",
    year: 2024,
    durationMinutes: 120,
    categoryId: await categoryId(client, "Torneos"),
    links: [{ quality: "FHD", url: link.url, audioLanguages: ["SPANISH"] }],
  });
  const stored = async () => (await (await client.request.get(`/api/sports/${id}`)).json()).links[0].active;
  const page = await open(`/content/sports/${id}/edit`);
  await page.getByRole("button", { name: `Desactivar el enlace ${link.url}` }).click();
  await page.getByRole("button", { name: `Activar el enlace ${link.url}` }).waitFor();
  expect(await stored()).toBe(true);
  await page.getByRole("button", { name: w.movies.save }).click();
  await dismissToast(page, w.sports.saved, w);
  expect(await stored()).toBe(false);
});

test.runIf(nightly)(
  "a documentary begins as one for all; another classification is kept and shown on its own page",
  async () => {
    const page = await open("/content/documentaries/create");
    expect(await field(page, w.fields.classification).inputValue()).toBe("G: todos los públicos");
    await field(page, w.fields.title).fill("Bosques de niebla");
    await field(page, w.fields.duration).fill("52");
    await choose(page, w.fields.category, "Naturaleza");
    await choose(page, w.fields.classification, "PG-13: mayores de 13 años");
    await choose(page, w.fields.genres, "Medio ambiente");
    await addLink(page, link, w);
    await page.getByRole("button", { name: "Crear documental", exact: true }).click();
    await dismissToast(page, w.movies.created("Bosques de niebla"), w);
    await expectPath(page, "/content/documentaries");

    await page.getByRole("link", { name: w.movies.view("Bosques de niebla") }).click();
    await heading(page, "Detalles del documental").waitFor();
    await page.getByText("PG-13: mayores de 13 años").first().waitFor();
    await page.goto("/content/documentaries");
    await row(page, "Bosques de niebla")
      .getByRole("link", { name: "Bosques de niebla", exact: true })
      .click();
    await heading(page, w.movies.editTitle("Bosques de niebla")).waitFor();
    expect(await field(page, w.fields.classification).inputValue()).toBe("PG-13: mayores de 13 años");
  },
);

test.runIf(nightly)("a category in use says how many use it, and is deleted without them", async () => {
  const client = await clientOf();
  const category = await categoryId(client, "Naturaleza");
  const documentary = {
    year: 2020,
    durationMinutes: 52,
    classification: "G",
    categoryId: category,
    links: [{ quality: "FHD", url: link.url, audioLanguages: ["SPANISH"] }],
  };
  await create(client, "documentaries", { ...documentary, title: "Bosques de niebla" });
  await create(client, "documentaries", { ...documentary, title: "Aves del sur" });

  const page = await open("/content/categories?search=naturaleza");
  await page.getByRole("button", { name: w.movies.delete("Naturaleza") }).click();
  const inUse = page.getByRole("dialog", { name: "«Naturaleza» está en uso" });
  await inUse.getByRole("listitem").filter({ hasText: "Documentales" }).getByText("2").waitFor();
  await inUse.getByRole("button", { name: w.common.cancel, exact: true }).click();
  await row(page, "Naturaleza").waitFor();

  // Without what used it, it goes.
  await without(page, "documentaries");
  await page.getByRole("button", { name: w.movies.delete("Naturaleza") }).click();
  await page.getByRole("dialog").getByRole("button", { name: w.common.delete, exact: true }).click();
  await dismissToast(page, w.movies.deleted("Naturaleza"), w);
  await create(page, "categories", {
    description: "Naturaleza",
    englishDescription: "Nature",
    type: "DOCUMENTARY",
  });
});
