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
  flowLanguages,
  type Language,
  narrow,
  pagesOfOneBrowser,
  url,
  without,
  withoutMovies,
} from "./support";
import { words as textsOf } from "./words";

const open = pagesOfOneBrowser();

const words = {
  es: {
    addFilter: "Añadir filtro",
    genre: "Género",
    searchGenre: "Buscar en Género",
    action: { typed: "acc", name: "Acción" },
    drama: { typed: "dra", name: "Drama" },
    changed: "Última modificación",
    today: "Hoy",
    changedFrom: /^Última modificación: desde/,
    genres: "Género: Acción, Drama",
    columns: "Columnas",
    year: "Año",
    yearOf: (name: string) => `Año de «${name}»`,
    tooSmall: "Año debe ser al menos 1900",
    palette: /^Ir a una página/,
    edit: "Editar «Duna»",
    create: { typed: "crear pel", name: "Crear película" },
    selectPage: "Seleccionar esta página",
    renumber: "Renumerar…",
    start: "Primer número",
    step: "De … en …",
    fraction: "1,5",
    whole: /^Un número entero de 1 a /,
    preview: "Vista previa",
    order: "Orden",
    byCategory: "Por categoría",
    block: "Cada categoría empieza en",
    wouldChange: "3 cambiarán",
    back: "Atrás",
    byTitle: "Por título",
    move: "Mover «Mitad»",
    run: "Cambiar 3",
    done: "Terminado. Se puede deshacer durante 24 horas.",
    undo: "Deshacer",
    undone: "Deshecho.",
  },
  en: {
    addFilter: "Add filter",
    genre: "Genre",
    searchGenre: "Search in Genre",
    action: { typed: "act", name: "Action" },
    drama: { typed: "dra", name: "Drama" },
    changed: "Last changed",
    today: "Today",
    changedFrom: /^Last changed: from/,
    genres: "Genre: Action, Drama",
    columns: "Columns",
    year: "Year",
    yearOf: (name: string) => `Year of “${name}”`,
    tooSmall: "Year must be at least 1900",
    palette: /^Go to a page/,
    edit: "Edit “Duna”",
    create: { typed: "create mov", name: "Create movie" },
    selectPage: "Select this page",
    renumber: "Renumber…",
    start: "First number",
    step: "Step",
    fraction: "1.5",
    whole: /^A whole number from 1 to /,
    preview: "Preview",
    order: "Order",
    byCategory: "By category",
    block: "Each category starts at",
    wouldChange: "3 will change",
    back: "Back",
    byTitle: "By title",
    move: "Move “Mitad”",
    run: "Change 3",
    done: "Finished. It can be undone for 24 hours.",
    undo: "Undo",
    undone: "Undone.",
  },
} as const;

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
async function addFilter(page: Page, button: string, name: string) {
  await page.getByRole("button", { name: button }).press("Enter");
  await page.locator("[role=menu]:focus-within").waitFor();
  await page.getByRole("menuitem", { name }).press("Enter");
}

describe.each<Language>(flowLanguages)("movies in %s", (language) => {
  const w = words[language];
  const { list } = textsOf[language];
  beforeEach(() => films(["Redundancia", "La duna perdida", "Duna"]));

  test("one of several genres, changed today, by the keyboard, in the address", async () => {
    const page = await open("/content/movies", { language });
    await page.getByText(list.showing(1, 3, 3)).waitFor();
    await addFilter(page, w.addFilter, w.genre);
    await page.getByRole("textbox", { name: w.searchGenre }).fill(w.action.typed);
    await page.getByRole("checkbox", { name: w.action.name }).press("Space");
    await page.getByText(list.showing(1, 1, 1)).waitFor();
    await page.getByRole("textbox", { name: w.searchGenre }).fill(w.drama.typed);
    await page.getByRole("checkbox", { name: w.drama.name }).press("Space");
    await page.getByText(list.showing(1, 2, 2)).waitFor();
    await expectAccessible(page, "the genres of a filter");
    await page.keyboard.press("Escape");
    await addFilter(page, w.addFilter, w.changed);
    await page.getByRole("button", { name: w.today, exact: true }).press("Enter");
    await page.getByRole("button", { name: w.changedFrom }).waitFor();
    await expectAccessible(page, "the days of a filter");
    expect(page.url()).toMatch(/genre=ACTION%2CDRAMA.*updatedDateFrom=\d{4}-\d\d-\d\d/);
    await page.getByText(list.showing(1, 2, 2)).waitFor();

    const phone = await open(page.url().slice(url.length), { language, width: narrow.width });
    await phone.getByRole("button", { name: w.genres }).waitFor();
    await expectAccessible(phone, "filters on a phone");
  });

  test("years are corrected down the list: one key to begin, four for a year, Tab for the next", async () => {
    const page = await open("/content/movies?sort=year", { language });
    await page.getByText(list.showing(1, 3, 3)).waitFor();
    await page.getByRole("button", { name: w.columns }).click();
    await page.getByRole("checkbox", { name: w.year }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Redundancia", exact: true }).focus();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: w.yearOf("Redundancia") }).waitFor();
    await expectAccessible(page, "a cell that is edited");
    await page.keyboard.type("2001");
    await page.keyboard.press("Tab");
    await page.getByRole("textbox", { name: w.yearOf("La duna perdida") }).waitFor();
    await page.keyboard.type("12");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText(w.tooSmall).waitFor();
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
    const page = await open("/content/movies", { language });
    await page.getByText(list.showing(1, 3, 3)).waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    const search = page.getByPlaceholder(w.palette);
    await search.fill("dun");
    await page.getByRole("button", { name: /^Redundancia/ }).waitFor();
    const names = await page.getByRole("dialog").getByRole("button").allInnerTexts();
    expect(names.map((name) => name.split("\n")[0]).slice(0, 3)).toEqual([
      "Duna",
      "La duna perdida",
      "Redundancia",
    ]);
    await expectAccessible(page, "the palette");
    await page.keyboard.press("Enter");
    await heading(page, w.edit).waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("dialog").getByRole("button", { name: /^Duna/ }).waitFor();
    await search.fill(w.create.typed);
    await page.getByRole("button", { name: w.create.name }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, w.create.name).waitFor();
  });
});

test.each<Language>(flowLanguages)("channels are renumbered and back again, in %s", async (language) => {
  const w = words[language];
  const client = await clientOf();
  await without(client, "tv-channels");
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
  const page = await open("/content/tv-channels", { language });
  await page.getByRole("checkbox", { name: w.selectPage }).check();
  await page.getByRole("button", { name: w.renumber }).click();
  await page.getByLabel(w.start).fill("101");
  await page.getByLabel(w.step).fill(w.fraction);
  await page.getByText(w.whole).waitFor();
  expect(await page.getByRole("button", { name: w.preview }).isDisabled()).toBe(true);
  await page.getByLabel(w.step).fill("5");
  const order = page.getByRole("combobox", { name: w.order, exact: true });
  await order.selectOption(w.byCategory);
  await page.getByRole("combobox", { name: w.block }).selectOption({ index: 1 });
  await page.getByRole("button", { name: w.preview }).click();
  await page.getByText(w.wouldChange).first().waitFor();
  await page.getByRole("button", { name: w.back }).click();
  expect(await page.getByLabel(w.start).inputValue(), "what the numbers were made from").toBe("101");
  expect(await page.getByLabel(w.step).inputValue()).toBe("5");
  expect(await order.inputValue()).toBe("category");
  await order.selectOption(w.byTitle);
  await page.getByRole("button", { name: w.move }).press("Home");
  await expectAccessible(page, "the line-up");
  await page.getByRole("button", { name: w.preview }).click();
  await page.getByText(w.wouldChange).first().waitFor();
  await page.getByRole("button", { name: w.run }).click();
  await page.getByText(w.done).waitFor();
  expect(await numbers()).toEqual(["101 Mitad", "106 Alfa", "111 Zeta"]);
  await page.getByRole("button", { name: w.undo }).click();
  await page.getByText(w.undone).waitFor();
  expect(await numbers()).toEqual(["10 Zeta", "11 Alfa", "12 Mitad"]);
});
