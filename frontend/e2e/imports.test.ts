// Three hundred channels come from a supplier's spreadsheet: chosen, previewed, imported, undone; and rows that are wrong.
import { beforeAll, describe, expect, test } from "vitest";
import { pressesOn } from "./screens";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  flowLanguages,
  type Language,
  narrow,
  pagesOfOneBrowser,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    import: "Importar…",
    dialog: "Importar una hoja de cálculo",
    choose: "Elegir un archivo…",
    found: "300 filas en canales.csv",
    preview: "Vista previa",
    wouldCreate: "300 se añadirán",
    run: "Importar 300 filas",
    created: "300 añadidos",
    close: "Cerrar",
    operation: "Importa «canales.csv»",
    undo: "Deshacer",
    undoTitle: "¿Deshacer la operación?",
    drop: /o arrástralo hasta aquí/,
    file: "Archivo",
    columns: "Columnas",
    notNumeric: "Número: Debe ser un número",
    unknownName: "Categorías: No hay ninguno que se llame «No existe»",
  },
  en: {
    import: "Import…",
    dialog: "Import a spreadsheet",
    choose: "Choose a file…",
    found: "300 rows in canales.csv",
    preview: "Preview",
    wouldCreate: "300 will be added",
    run: "Import 300 rows",
    created: "300 added",
    close: "Close",
    operation: "Imports “canales.csv”",
    undo: "Undo",
    undoTitle: "Undo the operation?",
    drop: /or drag it here/,
    file: "File",
    columns: "Columns",
    notNumeric: "Número: It must be a number",
    unknownName: "Categorías: There is nothing called “No existe”",
  },
} as const;

/** A supplier in Spain writes the file: its columns are found in any language of the panel. */
const headings = ["Número", "Título", "Categorías", "Tipo de dirección", "Dirección"];

/** A file of channels, as such a supplier writes it: Windows line ends, semicolons. */
function channels(count: number, change: (cells: string[], row: number) => void = () => {}): Buffer {
  const lines = Array.from({ length: count }, (_, index) => {
    const number = String(index + 1);
    const cells = [
      number,
      `Canal ${number}`,
      "Del proveedor",
      "Externa",
      `https://tv.example/${number}.m3u8`,
    ];
    change(cells, index);
    return cells.join(";");
  });
  return Buffer.from([headings.join(";"), ...lines].join("\r\n"));
}

beforeAll(async () => {
  await create(await clientOf(), "categories", {
    description: "Del proveedor",
    englishDescription: "From the supplier",
    type: "TV_CHANNEL",
  });
});

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("three hundred channels are imported in five clicks, and undone", async () => {
    const page = await open("/content/tv-channels", { language });
    const mouse = pressesOn(page);
    const begun = Date.now();
    await mouse.press(page.getByRole("button", { name: w.import }));
    const dialog = page.getByRole("dialog", { name: w.dialog });
    const choosing = page.waitForEvent("filechooser");
    await mouse.press(dialog.getByRole("button", { name: w.choose }));
    await (await choosing).setFiles({ name: "canales.csv", mimeType: "text/csv", buffer: channels(300) });
    await dialog.getByText(w.found).waitFor();
    await mouse.press(dialog.getByRole("button", { name: w.preview }));
    await dialog.getByText(w.wouldCreate).first().waitFor();
    await mouse.press(dialog.getByRole("button", { name: w.run }));
    await dialog.getByText(w.created).waitFor();
    await mouse.press(dialog.getByRole("button", { name: w.close }).last());
    await page.getByRole("link", { name: "Canal 300", exact: true }).waitFor();
    expect(mouse.count()).toBe(5);
    mouse.report("300 channels", Date.now() - begun);

    const stored = async () =>
      (await (await page.request.get("/api/tv-channels")).json()).totalElements as number;
    expect(await stored()).toBe(300);
    await page.goto("/operations");
    await page.getByText(w.operation).first().waitFor();
    await page.getByRole("button", { name: w.undo }).first().click();
    const question = page.getByRole("dialog", { name: w.undoTitle });
    await question.getByRole("button", { name: w.undo }).click();
    await expect.poll(stored, { timeout: 20_000 }).toBe(0);
  });

  test("errors in a file are shown by row and column, in both schemes and on a phone", async () => {
    for (const look of [undefined, narrow]) {
      const page = await open("/content/tv-channels", { language, ...look });
      await page.getByRole("button", { name: w.import }).click();
      const dialog = page.getByRole("dialog", { name: w.dialog });
      await dialog.getByText(w.drop).waitFor();
      await expectAccessible(page, "the choice of a file");
      const file = channels(4, (cells, row) => {
        if (row === 1) cells[0] = "dos";
        if (row === 2) cells[2] = "No existe";
      });
      await dialog
        .getByLabel(w.file, { exact: true })
        .setInputFiles({ name: "canales.csv", mimeType: "text/csv", buffer: file });
      await dialog.getByRole("table", { name: w.columns }).waitFor();
      await expectAccessibleInBothSchemes(page, "the columns of a file");
      await dialog.getByRole("button", { name: w.preview }).click();
      await dialog.getByText(w.notNumeric).waitFor();
      await dialog.getByText(w.unknownName).waitFor();
      await expectAccessibleInBothSchemes(page, "the preview of an import");
    }
  });
});
