// Three hundred channels come from a supplier's spreadsheet: chosen, previewed, imported, undone; and rows that are wrong.
import { expect, test } from "vitest";
import { pressesOn } from "./screens";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  narrow,
  pagesOfOneBrowser,
} from "./support";

const open = pagesOfOneBrowser();

const headings = ["Número", "Título", "Categorías", "Tipo de dirección", "Dirección"];

/** A file of channels, as a supplier in Spain writes it: Windows line ends, semicolons. */
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

test("three hundred channels are imported in five clicks, and undone", async () => {
  await create(await clientOf(), "categories", {
    description: "Del proveedor",
    englishDescription: "From the supplier",
    type: "TV_CHANNEL",
  });
  const page = await open("/content/tv-channels");
  const mouse = pressesOn(page);
  const begun = Date.now();
  await mouse.press(page.getByRole("button", { name: "Importar…" }));
  const dialog = page.getByRole("dialog", { name: "Importar una hoja de cálculo" });
  const choosing = page.waitForEvent("filechooser");
  await mouse.press(dialog.getByRole("button", { name: "Elegir un archivo…" }));
  await (await choosing).setFiles({ name: "canales.csv", mimeType: "text/csv", buffer: channels(300) });
  await dialog.getByText("300 filas en canales.csv").waitFor();
  await mouse.press(dialog.getByRole("button", { name: "Vista previa" }));
  await dialog.getByText("300 se añadirán").first().waitFor();
  await mouse.press(dialog.getByRole("button", { name: "Importar 300 filas" }));
  await dialog.getByText("300 añadidos").waitFor();
  await mouse.press(dialog.getByRole("button", { name: "Cerrar" }).last());
  await page.getByRole("link", { name: "Canal 300", exact: true }).waitFor();
  expect(mouse.count()).toBe(5);
  mouse.report("300 channels", Date.now() - begun);

  const stored = async () =>
    (await (await page.request.get("/api/tv-channels")).json()).totalElements as number;
  expect(await stored()).toBe(300);
  await page.goto("/operations");
  await page.getByText("Importa «canales.csv»").first().waitFor();
  await page.getByRole("button", { name: "Deshacer" }).first().click();
  const question = page.getByRole("dialog", { name: "¿Deshacer la operación?" });
  await question.getByRole("button", { name: "Deshacer" }).click();
  await expect.poll(stored, { timeout: 20_000 }).toBe(0);
});

test("what is wrong in a file is said by row and column, in both schemes and on a phone", async () => {
  for (const look of [undefined, narrow]) {
    const page = await open("/content/tv-channels", look);
    await page.getByRole("button", { name: "Importar…" }).click();
    const dialog = page.getByRole("dialog", { name: "Importar una hoja de cálculo" });
    await dialog.getByText(/o arrástralo hasta aquí/).waitFor();
    await expectAccessible(page, "the choice of a file");
    const file = channels(4, (cells, row) => {
      if (row === 1) cells[0] = "dos";
      if (row === 2) cells[2] = "No existe";
    });
    await dialog
      .getByLabel("Archivo")
      .setInputFiles({ name: "canales.csv", mimeType: "text/csv", buffer: file });
    await dialog.getByRole("table", { name: "Columnas" }).waitFor();
    await expectAccessibleInBothSchemes(page, "the columns of a file");
    await dialog.getByRole("button", { name: "Vista previa" }).click();
    await dialog.getByText("Número: Debe ser un número").waitFor();
    await dialog.getByText("Categorías: No hay ninguno que se llame «No existe»").waitFor();
    await expectAccessibleInBothSchemes(page, "the preview of an import");
  }
});
