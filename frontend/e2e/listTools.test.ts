// A list is filtered by several genres and by days, its values are edited where they stand, its channels are renumbered,
// and the palette creates, sells and finds what begins with the words first.
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { heading } from "./screens";
import {
  categoryId,
  clientOf,
  create,
  expectAccessible,
  narrow,
  pagesOfOneBrowser,
  url,
  withoutMovies,
} from "./support";

const open = pagesOfOneBrowser();

const genres = ["ACTION", "DRAMA", "HORROR"];

async function films(titles: string[]) {
  const client = await clientOf();
  await withoutMovies(client);
  const category = await categoryId(client, "Acción");
  for (const [index, title] of titles.entries())
    await create(client, "movies", {
      title,
      year: 1990 + index,
      durationMinutes: 100,
      classification: "PG",
      genres: [genres[index % genres.length]],
      categoryId: category,
      links: [
        {
          quality: "HD",
          url: `https://cdn.example.com/tools/${index}.m3u8`,
          audioLanguages: ["SPANISH"],
          subtitleLanguages: [],
        },
      ],
    });
}

/** By the keyboard. The menu focuses its first item a moment after it is shown: Enter is not to reach that one. */
async function addFilter(page: Page, name: string) {
  await page.getByRole("button", { name: "Añadir filtro" }).press("Enter");
  await page.locator("[role=menu]:focus-within").waitFor();
  await page.getByRole("menuitem", { name }).press("Enter");
}

describe("movies", () => {
  beforeEach(() => films(["Redundancia", "La duna perdida", "Duna"]));

  test("one of several genres, changed today, by the keyboard, in the address", async () => {
    const page = await open("/content/movies");
    await page.getByText("Mostrando 1 a 3 de 3 resultados").waitFor();
    await addFilter(page, "Género");
    await page.getByRole("textbox", { name: "Buscar en Género" }).fill("acc");
    await page.getByRole("checkbox", { name: "Acción" }).press("Space");
    await page.getByText("Mostrando 1 a 1 de 1 resultados").waitFor();
    await page.getByRole("textbox", { name: "Buscar en Género" }).fill("dra");
    await page.getByRole("checkbox", { name: "Drama" }).press("Space");
    await page.getByText("Mostrando 1 a 2 de 2 resultados").waitFor();
    await expectAccessible(page, "the genres of a filter");
    await page.keyboard.press("Escape");
    await addFilter(page, "Última modificación");
    await page.getByRole("button", { name: "Hoy", exact: true }).press("Enter");
    await page.getByRole("button", { name: /^Última modificación: desde/ }).waitFor();
    await expectAccessible(page, "the days of a filter");
    expect(page.url()).toMatch(/genre=ACTION%2CDRAMA.*updatedDateFrom=\d{4}-\d\d-\d\d/);
    await page.getByText("Mostrando 1 a 2 de 2 resultados").waitFor();

    const phone = await open(page.url().slice(url.length), { width: narrow.width });
    await phone.getByRole("button", { name: "Género: Acción, Drama" }).waitFor();
    await expectAccessible(phone, "filters on a phone");
  });

  test("years are corrected down the list: one key to begin, four for a year, Tab for the next", async () => {
    const page = await open("/content/movies?sort=year");
    await page.getByText("Mostrando 1 a 3 de 3 resultados").waitFor();
    await page.getByRole("button", { name: "Columnas" }).click();
    await page.getByRole("checkbox", { name: "Año" }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Redundancia", exact: true }).focus();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Año de «Redundancia»" }).waitFor();
    await expectAccessible(page, "a cell that is edited");
    await page.keyboard.type("2001");
    await page.keyboard.press("Tab");
    await page.getByRole("textbox", { name: "Año de «La duna perdida»" }).waitFor();
    await page.keyboard.type("12");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Año debe ser al menos 1900").waitFor();
    await expectAccessible(page, "a cell with an error");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("2002");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "2002", exact: true }).waitFor();
    // The cell shows the new value while it is being saved.
    const years = async () => {
      const { content } = await (await page.request.get("/api/movies?_sort=year")).json();
      return content.map((film: { year: number }) => film.year);
    };
    await expect.poll(years, { timeout: 20_000 }).toEqual([1992, 2001, 2002]);
  });

  test("the palette finds what begins with the words first, remembers it, and creates", async () => {
    const page = await open("/content/movies");
    await page.getByText("Mostrando 1 a 3 de 3 resultados").waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    const search = page.getByPlaceholder(/^Ir a una página/);
    await search.fill("du");
    await page.getByRole("button", { name: /^Redundancia/ }).waitFor();
    const names = await page.getByRole("dialog").getByRole("button").allInnerTexts();
    expect(names.map((name) => name.split("\n")[0]).slice(0, 3)).toEqual([
      "Duna",
      "La duna perdida",
      "Redundancia",
    ]);
    await expectAccessible(page, "the palette");
    await page.keyboard.press("Enter");
    await heading(page, "Editar «Duna»").waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("dialog").getByRole("button", { name: /^Duna/ }).waitFor();
    await search.fill("crear pel");
    await page.getByRole("button", { name: "Crear película" }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "Crear película").waitFor();
  });
});

test("channels are renumbered in the order of their titles, previewed, and back again", async () => {
  const client = await clientOf();
  const category = await categoryId(client, "Noticias");
  for (const [index, title] of ["Zeta", "Alfa", "Mitad"].entries())
    await create(client, "tv-channels", {
      channelNumber: 10 + index,
      title,
      categories: [category],
      urlType: "EXTERNAL",
      url: `https://live.example.com/tools/${index}.m3u8`,
    });
  const numbers = async () => {
    const { content } = await (await client.request.get("/api/tv-channels?_sort=channelNumber")).json();
    return content.map(
      (one: { channelNumber: number; title: string }) => `${one.channelNumber} ${one.title}`,
    );
  };
  const page = await open("/content/tv-channels");
  await page.getByRole("checkbox", { name: "Seleccionar esta página" }).check();
  await page.getByRole("button", { name: "Renumerar…" }).click();
  await page.getByLabel("Primer número").fill("101");
  await page.getByLabel("De … en …").fill("1,5");
  await page.getByText(/^Un número entero de 1 a /).waitFor();
  expect(await page.getByRole("button", { name: "Vista previa" }).isDisabled()).toBe(true);
  await page.getByLabel("De … en …").fill("5");
  const order = page.getByRole("combobox", { name: "Orden", exact: true });
  await order.selectOption("Por categoría");
  await page.getByRole("combobox", { name: "Cada categoría empieza en" }).selectOption({ index: 1 });
  await page.getByRole("button", { name: "Vista previa" }).click();
  await page.getByText("3 cambiarán").first().waitFor();
  await page.getByRole("button", { name: "Atrás" }).click();
  expect(await page.getByLabel("Primer número").inputValue(), "what the numbers were made from").toBe("101");
  expect(await page.getByLabel("De … en …").inputValue()).toBe("5");
  expect(await order.inputValue()).toBe("category");
  await order.selectOption("Por título");
  await page.getByRole("button", { name: "Mover «Mitad»" }).press("Home");
  await expectAccessible(page, "the line-up");
  await page.getByRole("button", { name: "Vista previa" }).click();
  await page.getByText("3 cambiarán").first().waitFor();
  await page.getByRole("button", { name: "Cambiar 3" }).click();
  await page.getByText("Terminado. Se puede deshacer durante 24 horas.").waitFor();
  expect(await numbers()).toEqual(["101 Mitad", "106 Alfa", "111 Zeta"]);
  await page.getByRole("button", { name: "Deshacer" }).click();
  await page.getByText("Deshecho.").waitFor();
  expect(await numbers()).toEqual(["10 Zeta", "11 Alfa", "12 Mitad"]);
});
