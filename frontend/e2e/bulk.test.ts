// Many films get another category with the keyboard alone: selected, previewed, changed while another user edits one of them,
// undone, and found again on the page of operations.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { heading } from "./screens";
import {
  categoryId,
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  flowLanguages,
  type Language,
  narrow,
  pagesOfOneBrowser,
  url,
  withoutMovies,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    films: "Películas",
    page: "Seleccionar esta página",
    everything: "Seleccionar los 12 que coinciden",
    change: "Cambiar…",
    what: "Qué cambiar",
    category: "Categoría",
    value: "Nuevo valor",
    other: "Ciencia ficción",
    preview: "Vista previa",
    wouldChange: "11 cambiarán",
    unchanged: "1 ya estaba así",
    run: "Cambiar 11",
    done: "Terminado. Se puede deshacer durante 24 horas.",
    undo: "Deshacer",
    undone: "Deshecho en parte.",
    refused: "Rechazado (1)",
    since: "Categoría: Alguien lo cambió después: se queda como está",
    close: "Cerrar",
    operations: "Operaciones masivas",
    set: "Categoría = Ciencia ficción",
    details: "Ver detalle",
  },
  en: {
    films: "Movies",
    page: "Select this page",
    everything: "Select all 12 that match",
    change: "Change…",
    what: "What to change",
    category: "Category",
    value: "New value",
    other: "Science fiction",
    preview: "Preview",
    wouldChange: "11 will change",
    unchanged: "1 already set",
    run: "Change 11",
    done: "Finished. It can be undone for 24 hours.",
    undo: "Undo",
    undone: "Partly undone.",
    refused: "Refused (1)",
    since: "Category: Somebody changed it afterwards: it stays as it is",
    close: "Close",
    operations: "Bulk operations",
    set: "Category = Science fiction",
    details: "Show details",
  },
} as const;

let ids: number[];

beforeEach(async () => {
  const client = await clientOf();
  await withoutMovies(client);
  const categories = [await categoryId(client, "Acción"), await categoryId(client, "Ciencia ficción")];
  ids = [];
  for (let number = 0; number < 12; number += 1) {
    const made = await create(client, "movies", {
      title: `Film ${number}`,
      year: 2000,
      durationMinutes: 90,
      classification: "G",
      categoryId: categories[number === 0 ? 1 : 0],
      links: [{ quality: "HD", url: "https://cdn.example.com/x.m3u8", audioLanguages: ["SPANISH"] }],
    });
    ids.push(made.id);
  }
});

async function categoryOf(page: Page, id: number | undefined): Promise<number> {
  const film = (await (await page.request.get(`/api/movies/${id}`)).json()) as { categoryId: number };
  return film.categoryId;
}

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("films get another category by keyboard, and theirs back but for one that was edited", async () => {
    const page = await open("/content/movies", { language });
    // The box of the page selects what is there.
    await page.getByText("Film 11").waitFor();
    await page.getByRole("checkbox", { name: w.page }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: w.everything }).focus();
    await page.keyboard.press("Enter");
    await expectAccessibleInBothSchemes(page, "a list with a selection");
    await page.getByRole("button", { name: w.change }).focus();
    await page.keyboard.press("Enter");

    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: w.what }).waitFor();
    await page.keyboard.type(w.category);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await dialog.getByRole("combobox", { name: w.value }).focus();
    await page.keyboard.type(w.other);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: w.preview }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText(w.wouldChange).first().waitFor();
    await dialog.getByText(w.unchanged).waitFor();
    await expectAccessible(page, "the preview of a bulk operation");
    const [first, , third] = ids;
    const action = await categoryOf(page, third);
    expect(action).not.toBe(await categoryOf(page, first));

    await dialog.getByRole("button", { name: w.run }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText(w.done).waitFor();
    expect(await categoryOf(page, third)).toBe(await categoryOf(page, first));
    // Another user sets a third category of one of them.
    const spanish = await categoryId(page, "Cine español");
    const edited = await page.request.patch(`/api/movies/${third}`, {
      headers: { origin: url },
      data: { categoryId: spanish },
    });
    expect(edited.status()).toBe(200);

    await dialog.getByRole("button", { name: w.undo }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText(w.undone).waitFor();
    await dialog.getByText(w.since).waitFor();
    expect(await categoryOf(page, third)).toBe(spanish);
    expect(await categoryOf(page, ids[3])).toBe(action);
    await dialog.getByRole("button", { name: w.close }).last().click();
    await page.getByRole("button", { name: w.change }).waitFor({ state: "hidden" });

    await page.goto("/operations");
    await heading(page, w.operations).waitFor();
    await page.getByText(w.set).first().waitFor();
    await page.getByRole("button", { name: w.details }).first().click();
    await page.getByRole("region", { name: w.refused }).waitFor();
    await expectAccessible(page, "the details of a bulk operation");
  });
});

test("on a phone, the bar covers nothing that can't be scrolled out from under it", async () => {
  const page = await open("/content/movies", narrow);
  const boxes = page.getByRole("checkbox", { name: /^Seleccionar «/ });
  await boxes.first().click();
  const bar = page.getByRole("region", { name: "Selección" });
  await bar.waitFor();
  await page.keyboard.press("End");
  const next = page.getByRole("button", { name: "Página siguiente" });
  await next.scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const [button, covered] = [await next.boundingBox(), await bar.boundingBox()];
  if (!button || !covered) throw new Error("The bar and the pager are there.");
  expect(button.y + button.height).toBeLessThanOrEqual(covered.y);
  await expectAccessible(page, "a selection on a phone");
  await page.goto("/operations");
  await heading(page, "Operaciones masivas").waitFor();
  await expectAccessible(page, "bulk operations on a phone");
});

test("the selected films are deleted after a preview and come back by undoing that", async () => {
  const page = await open("/content/movies");
  const stored = async () => (await (await page.request.get("/api/movies")).json()).totalElements as number;
  await page.getByRole("checkbox", { name: "Seleccionar esta página" }).click();
  await page.getByRole("button", { name: "Eliminar…" }).click();
  const dialog = page.getByRole("dialog", { name: "Eliminar 10 elementos" });
  await dialog.getByText("Van a la papelera: se pueden restaurar durante 30 días.").waitFor();
  await expectAccessibleInBothSchemes(page, "the preview of a deletion");
  expect(await stored()).toBe(12);
  await dialog.getByRole("button", { name: "Eliminar 10" }).click();
  await dialog.getByText("10 eliminados").waitFor();
  expect(await stored()).toBe(2);
  await dialog.getByRole("button", { name: "Deshacer" }).click();
  await dialog.getByText("Deshecho.").waitFor();
  expect(await stored()).toBe(12);
});

test("a list is downloaded as a spreadsheet, as it is filtered and sorted", async () => {
  const page = await open("/content/movies?search=Film+1&sort=title");
  await page.getByRole("button", { name: "Exportar…" }).click();
  const dialog = page.getByRole("dialog", { name: "Exportar a una hoja de cálculo" });
  await dialog.getByRole("checkbox", { name: "Título" }).waitFor();
  await expectAccessibleInBothSchemes(page, "the export of a list");
  await dialog.getByText("CSV", { exact: true }).click();
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Descargar" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("movies.csv");
  const text = readFileSync(await download.path(), "utf8");
  const [head, ...rows] = text.trim().split("\r\n");
  expect(head).toContain('"Título";');
  expect(rows.map((row) => row.split(";")[0])).toEqual(['"Film 1"', '"Film 10"', '"Film 11"']);
});
