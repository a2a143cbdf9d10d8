// The server stops, or has a new release, while a form is open: typed values are kept.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { field, heading } from "./screens";
import { categoryId, clientOf, create, expectPath, nightly, pagesOfOneBrowser } from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;

async function openForm(): Promise<Page> {
  const client = await clientOf();
  const { id } = await create(client, "movies", {
    title: "Dune",
    year: 2021,
    durationMinutes: 155,
    classification: "PG_13",
    genres: ["DRAMA"],
    categoryId: await categoryId(client, "Acción"),
    links: [{ quality: "HD", url: "https://cdn.example.com/dune.m3u8", audioLanguages: ["SPANISH"] }],
  });
  // What a download brings is not in the cache yet.
  const page = await open(`/content/movies/${id}/edit`, { cold: true });
  await heading(page, w.movies.editTitle("Dune")).waitFor();
  await field(page, "Título").fill("Dune: parte uno");
  return page;
}

test("without the server, leaving still requests and the palette says that it cannot be loaded; the form stays", async () => {
  const page = await openForm();
  await page.route("**/assets/**", (route) => route.abort());

  await page.getByRole("link", { name: "Cartelera" }).first().click();
  const question = page.getByRole("dialog", { name: "¿Salir sin guardar?" });
  await question.getByRole("button", { name: "Seguir editando" }).click();
  await question.waitFor({ state: "hidden" });
  expect(await field(page, "Título").inputValue()).toBe("Dune: parte uno");

  await page.keyboard.press("Control+k");
  const failure = page.getByRole("alert").filter({ hasText: "Esta parte del panel no se pudo cargar" });
  await failure.waitFor();
  expect(await field(page, "Título").inputValue()).toBe("Dune: parte uno");

  // Back again, the same button brings it, where the browser remembers the failed download by a reload. What was typed
  // stays.
  await page.unroute("**/assets/**");
  await failure.getByRole("button", { name: "Reintentar" }).click();
  await failure.waitFor({ state: "hidden" });
  await expect.poll(() => field(page, "Título").inputValue(), { timeout: 30_000 }).toBe("Dune: parte uno");
  const search = page.getByPlaceholder("Ir a una página o buscar un título o un usuario…");
  if (!(await search.isVisible())) await page.keyboard.press("Control+k");
  await search.waitFor();
});

test("a page of another release offers to reload, in its place; the rest of the panel stands", async () => {
  const page = await openForm();
  await page.route("**/assets/**", (route) => route.fulfill({ status: 404, body: "" }));
  await page.getByRole("link", { name: "Cartelera" }).first().click();
  await page.getByRole("button", { name: "Salir sin guardar" }).click();
  await page.getByRole("heading", { name: "Esta parte del panel no se pudo cargar" }).waitFor();
  await page.getByRole("button", { name: "Menú de admin" }).waitFor();
  await page.unroute("**/assets/**");
  await page.getByRole("button", { name: "Recargar el panel" }).click();
  await heading(page, "Panel de Administración").waitFor();
});

test("a new release is announced when a download fails; reloading starts it and restores the form", async () => {
  const page = await openForm();
  await page.route("**/assets/**", (route) => route.fulfill({ status: 404, body: "" }));
  await page.route(
    (url) => url.pathname === "/",
    (route) =>
      route.fulfill({
        contentType: "text/html",
        body: '<html><head><script type="module" src="/assets/index-newer.js"></script></head></html>',
      }),
  );
  const notice = page.getByRole("status").filter({ hasText: "Hay una versión nueva del panel." });
  await page.getByRole("button", { name: "Ir a…" }).click();
  await notice.waitFor();
  expect(await field(page, "Título").inputValue()).toBe("Dune: parte uno");
  await page.unrouteAll();
  // No press of the mouse: the palette, whose download is tried again, may lie over it by now.
  await notice.getByRole("button", { name: "Recargar el panel" }).dispatchEvent("click");
  await page.getByText("Recuperamos lo que estabas escribiendo. Todavía no está guardado.").waitFor();
  expect(await field(page, "Título").inputValue()).toBe("Dune: parte uno");
});

test.runIf(nightly)("reloading for a new release gives back what was typed", async () => {
  const page = await openForm();
  await page.route("**/assets/**", (route) => route.fulfill({ status: 404, body: "" }));
  await page.keyboard.press("Control+k");
  const reload = page.getByRole("button", { name: "Recargar el panel" });
  await reload.waitFor();
  await page.unroute("**/assets/**");
  await reload.click();
  await page.getByText("Recuperamos lo que estabas escribiendo. Todavía no está guardado.").waitFor();
  expect(await field(page, "Título").inputValue()).toBe("Dune: parte uno");
  await expectPath(page, /\/content\/movies\/\d+\/edit$/);
});
