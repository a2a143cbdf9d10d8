import { beforeAll, expect, test } from "vitest";
import { choose, heading, row, search } from "./screens";
import {
  categoryId,
  clientOf,
  create,
  expectGone,
  expectPath,
  nightly,
  pagesOfOneBrowser,
  url,
} from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;

const titles = Array.from(
  { length: 23 },
  (_, number) => `Película número ${String(number + 1).padStart(2, "0")}`,
);

// Tests only read them, but for the one that deletes a category with its films.
beforeAll(async () => {
  const client = await clientOf();
  const category = await categoryId(client, "Acción");
  for (const [number, title] of titles.entries())
    await create(client, "movies", {
      title,
      year: 1990 + number,
      durationMinutes: 100,
      classification: "PG",
      genres: ["DRAMA"],
      categoryId: category,
      links: [{ quality: "HD", url: `https://cdn.example.com/${number}.m3u8`, audioLanguages: ["SPANISH"] }],
    });
});

test("page, order and search are in the address, and going back returns to them", async () => {
  const page = await open("/content/movies");
  await page.getByText(w.list.showing(1, 10, 23)).waitFor();

  await page.getByRole("button", { name: "Título" }).click();
  await row(page, titles[0] as string).waitFor();
  await page.getByRole("button", { name: "Página siguiente" }).click();
  await page.getByText(w.list.showing(11, 20, 23)).waitFor();
  await row(page, titles[10] as string).waitFor();

  // Opened elsewhere, the address shows the same.
  const again = await open(page.url().slice(url.length));
  await again.getByText(w.list.showing(11, 20, 23)).waitFor();
  await row(again, titles[10] as string).waitFor();

  await row(page, titles[12] as string)
    .getByRole("link", { name: titles[12] as string, exact: true })
    .click();
  await heading(page, w.movies.editTitle(titles[12] as string)).waitFor();
  await page.goBack();
  await page.getByText(w.list.showing(11, 20, 23)).waitFor();
  await row(page, titles[12] as string).waitFor();

  await search(page, "numero 2", w);
  await page.getByText(w.list.showing(1, 4, 4)).waitFor();
  expect(new URL(page.url()).searchParams.get("search")).toBe("numero 2");
});

test.runIf(nightly)("the last page has the remaining rows; a page past it is replaced by it", async () => {
  const page = await open("/content/movies");
  await page.getByRole("button", { name: "Última página" }).click();
  await page.getByText(w.list.showing(21, 23, 23)).waitFor();
  expect(await page.getByRole("button", { name: "Última página" }).isDisabled()).toBe(true);
  const beyond = await open("/content/movies?page=99");
  await beyond.getByText(w.list.showing(21, 23, 23)).waitFor();
});

test("a list that cannot be loaded shows an error and a button that retries", async () => {
  const page = await open("/");
  let isDown = true;
  await page.route("**/api/movies?*", (route) => (isDown ? route.abort() : route.fallback()));
  await page.getByRole("button", { name: w.menus.contents }).click();
  await page.getByRole("menuitem", { name: w.movies.page }).click();
  await page.getByText("Error al cargar los datos").waitFor();
  isDown = false;
  await page.getByRole("button", { name: "Reintentar" }).click();
  await page.getByText(w.list.showing(1, 10, 23)).waitFor();
});

test("a toggle that the server refuses comes back with a reason", async () => {
  const page = await open("/content/movies?sort=title");
  await page.route("**/api/movies/*/status", (route) => route.fulfill({ status: 503, body: "" }));
  const toggle = page.getByRole("switch", { name: w.movies.toggle(titles[0] as string) });
  await search(page, titles[0] as string, w);
  await toggle.press("Space");
  await page.getByRole("alert").filter({ hasText: "No se pudo desactivar" }).waitFor();
  expect(await toggle.isChecked()).toBe(true);
});

test("on a phone the menus slide in and the table becomes cards", async () => {
  const page = await open("/content/movies", { width: 390 });
  await page.getByRole("list", { name: w.movies.page }).getByRole("listitem").first().waitFor();
  expect(await page.getByRole("table").count()).toBe(0);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow, "sideways scrolling").toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: "Abrir el menú" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Categorías" }).click();
  await expectPath(page, "/content/categories");
  await heading(page, "Categorías").waitFor();
});

test("a category in use says by what before it is deleted, and is deleted once all of it has moved", async () => {
  const client = await clientOf();
  const name = "Acción";
  const page = await open(`/content/categories?search=${encodeURIComponent(name)}`);
  await page.getByRole("button", { name: `Eliminar «${name}»` }).click();
  const dialog = page.getByRole("dialog", { name: `«${name}» está en uso` });
  await dialog.getByRole("link", { name: w.movies.page }).waitFor();
  expect(await dialog.innerText()).toContain("23");
  await dialog.getByRole("button", { name: w.common.cancel, exact: true }).click();
  await row(page, name).waitFor();

  const [from, to] = await Promise.all(
    ["Cajón viejo", "Cajón nuevo"].map((description) =>
      create(client, "categories", { description, englishDescription: description, type: "MOVIE" }),
    ),
  );
  const { content } = await (await client.request.get("/api/movies?_size=1")).json();
  const film = `/api/movies/${content[0].id}`;
  expect((await client.request.patch(film, { data: { categoryId: from?.id } })).status()).toBe(200);
  await page.goto("/content/categories?search=cajon");
  await page.getByRole("button", { name: "Eliminar «Cajón viejo»" }).click();
  const moving = page.getByRole("dialog", { name: "«Cajón viejo» está en uso" });
  await choose(moving, "Moverlo todo a…", "Cajón nuevo");
  await moving.getByRole("button", { name: "Mover y eliminar" }).click();
  await expectGone(moving);
  await expectGone(row(page, "Cajón viejo"));
  expect(await (await client.request.get(film)).json()).toMatchObject({ categoryId: to?.id });
});

test("a category is made, changed and deleted", async () => {
  const page = await open("/content/categories");
  await page.getByRole("link", { name: "Crear categoría" }).click();
  await page.getByRole("textbox", { name: "Descripción", exact: true }).fill("Suspenso clásico");
  await page.getByRole("textbox", { name: "Descripción en inglés" }).fill("x");
  await page.getByRole("button", { name: "Crear categoría" }).click();
  await page.getByText("Debe tener al menos 2 caracteres").waitFor();
  await page.getByRole("textbox", { name: "Descripción en inglés" }).fill("Classic thrillers");
  await page.keyboard.press("Control+s");
  await expectPath(page, "/content/categories");
  await page.getByRole("searchbox", { name: "Buscar categorías..." }).fill("clasico");
  await row(page, "Suspenso clásico").waitFor();

  await page.getByRole("link", { name: "Editar «Suspenso clásico»" }).click();
  await page.getByRole("textbox", { name: "Descripción", exact: true }).fill("Suspense");
  await page.getByRole("button", { name: "Guardar cambios" }).click();
  await expectPath(page, "/content/categories");
  await page.getByRole("searchbox", { name: "Buscar categorías..." }).fill("suspense");
  await page.getByRole("button", { name: "Eliminar «Suspense»" }).click();
  await page.getByRole("dialog").getByRole("button", { name: w.common.delete, exact: true }).click();
  await page.getByText(w.list.nothingFound).waitFor();
});
