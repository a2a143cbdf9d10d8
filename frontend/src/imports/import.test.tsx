// A spreadsheet is imported: chosen, matched, previewed with what is refused and why, carried out, undone.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import type { UploadedSpreadsheet } from "../api/resourceFiles";
import type { Operation, OperationRow } from "../operations/queries";
import { expectLeavingConfirms, losePage } from "../testing/leaving";
import { operation as operationOf } from "../testing/operations";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";

const uploaded: UploadedSpreadsheet = {
  id: 5,
  fileName: "peliculas.csv",
  rows: 4,
  language: "es",
  worksheets: [],
  worksheet: null,
  columns: [
    { heading: "Título", samples: ["Metrópolis", "Nosferatu"], key: "title", fits: [] },
    { heading: "Estreno", samples: ["1927"], key: null, fits: [] },
    { heading: "", samples: [], key: null, fits: [] },
  ],
  fields: [
    { key: "title", heading: "Título" },
    { key: "year", heading: "Año" },
    { key: "categoryId.name", heading: "Categoría" },
  ],
};

const none = { changed: 0, created: 0, unchanged: 0, refused: 0, conflicts: 0, missing: 0 };

const operation = (id: number, more: Partial<Operation> = {}): Operation =>
  operationOf(id, {
    action: null,
    import: { sheet: 5, fileName: "peliculas.csv", columns: ["title", "year", null], defaults: [], rows: 4 },
    counts: { ...none, created: 2, changed: 1, refused: 1 },
    ...more,
  });

const rows: Partial<Record<string, OperationRow[]>> = {
  CHANGED: [
    {
      position: 0,
      itemId: 2,
      title: "Dune",
      verdict: "CHANGED",
      before: { categoryId: 1, classification: null },
      after: { categoryId: 2, classification: "R" },
      problems: [],
      sheetRow: 2,
    },
  ],
  REFUSED: [
    {
      position: 3,
      itemId: 0,
      title: "",
      verdict: "REFUSED",
      before: {},
      after: {},
      problems: [{ field: "year", column: "Estreno:", code: "NOT_NUMERIC", message: "Debe ser un número" }],
      sheetRow: 5,
    },
  ],
  CREATED: [
    {
      position: 1,
      itemId: 0,
      title: "Nosferatu",
      verdict: "CREATED",
      before: {},
      after: {},
      problems: [],
      sheetRow: 3,
    },
  ],
};

let operations: Operation[];
let sent: { columns: (string | null)[]; dryRun?: boolean }[];
/** The names of the files that were uploaded. */
let files: string[];

beforeEach(() => {
  operations = [];
  sent = [];
  files = [];
  const later = new Date(Date.now() + 3_600_000).toISOString();
  server.use(
    http.post("/api/movies/spreadsheet-imports", ({ request }) => {
      files.push(new URL(request.url).searchParams.get("fileName") ?? "");
      return HttpResponse.json(uploaded, { status: 201 });
    }),
    http.post("/api/movies/spreadsheet-imports/5/run", async ({ request }) => {
      const body = (await request.json()) as (typeof sent)[number];
      sent.push(body);
      const begun = operation(operations.length + 1, {
        dryRun: body.dryRun ?? false,
        undoUntil: body.dryRun ? null : later,
      });
      operations.push(begun);
      return HttpResponse.json(begun, { status: 202 });
    }),
    http.get("/api/operations/:id", ({ params }) => HttpResponse.json(operations[Number(params.id) - 1])),
    http.get("/api/operations/:id/rows", ({ request }) => {
      const { searchParams } = new URL(request.url);
      const found = rows[searchParams.get("verdict") ?? ""] ?? [];
      const isOfProblems = searchParams.get("problems") === "true";
      return HttpResponse.json(isOfProblems ? found.filter(({ problems }) => problems.length > 0) : found);
    }),
    http.post("/api/operations/:id/undo", ({ params }) => {
      const undo = operation(operations.length + 1, {
        undoOf: Number(params.id),
        import: null,
        counts: { ...none, changed: 3 },
      });
      operations.push(undo);
      return HttpResponse.json(undo, { status: 202 });
    }),
  );
});

async function opened() {
  const page = renderPage("/content/movies");
  const { user } = page;
  await user.click(await screen.findByRole("button", { name: "Importar…" }));
  const dialog = await screen.findByRole("dialog", { name: "Importar una hoja de cálculo" });
  const choose = (name: string) =>
    user.upload(within(dialog).getByLabelText("Archivo"), new File(["Título;Estreno\n"], name));
  return { ...page, dialog, choose };
}

test("a file is matched, previewed with its refused rows, imported and undone", async () => {
  const { user, dialog, choose } = await opened();
  expect(within(dialog).getByRole("link", { name: "Plantilla XLSX" })).toHaveAttribute(
    "href",
    "/api/movies/spreadsheet/template?format=xlsx&language=es",
  );
  await choose("peliculas.csv");
  expect(await within(dialog).findByText("4 filas en peliculas.csv")).toBeVisible();
  expect(files).toEqual(["peliculas.csv"]);
  const table = within(dialog).getByRole("table", { name: "Columnas" });
  expect(within(table).getByText("Metrópolis · Nosferatu")).toBeVisible();
  expect(within(table).getByText("Columna 3")).toBeVisible();
  expect(within(dialog).getByText(/2 columnas no se importan/)).toBeVisible();

  await user.click(within(table).getByRole("combobox", { name: "Campo de «Estreno»" }));
  expect(screen.queryByRole("option", { name: "Título" })).toBeNull();
  await user.click(await screen.findByRole("option", { name: "Año" }));
  await user.click(within(dialog).getByRole("button", { name: "Vista previa" }));
  expect(await within(dialog).findByText("Estreno: Debe ser un número")).toBeVisible();
  expect(sent).toEqual([{ columns: ["title", "year", null], defaults: [], dryRun: true }]);
  expect(within(dialog).getByText("Fila 5")).toBeVisible();
  expect(within(dialog).getAllByText("2 se añadirán")[0]).toBeVisible();
  for (const name of ["Acción", "Clásicos", "R: restringida"])
    expect(await within(dialog).findByText(name)).toBeVisible();
  expect(within(dialog).getByRole("link", { name: /filas rechazadas/ })).toHaveAttribute(
    "href",
    "/api/operations/1/failures?language=es",
  );

  await user.click(within(dialog).getByRole("button", { name: "Importar 3 filas" }));
  expect(await within(dialog).findByText("Terminado. Se puede deshacer durante 24 horas.")).toBeVisible();
  expect(within(dialog).getByText("2 añadidos")).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Deshacer" }));
  expect(await within(dialog).findByText("Deshecho.")).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Importar otro archivo" }));
  expect(await within(dialog).findByRole("button", { name: "Elegir un archivo…" })).toBeVisible();
});

test("columns that were matched are not lost without a word", async () => {
  const { dialog, choose, ...page } = await opened();
  const { user } = page;
  await choose("peliculas.csv");
  const field = await within(dialog).findByRole("combobox", { name: "Campo de «Estreno»" });
  await user.click(field);
  await user.click(await screen.findByRole("option", { name: "Año" }));
  for (const name of ["Cerrar", "Atrás"]) {
    await user.click(await within(dialog).findByRole("button", { name }));
    await user.click(await screen.findByRole("button", { name: "Seguir" }));
    expect(field).toHaveValue("Año");
  }
  await expectLeavingConfirms(page, { title: "¿Salir sin importar?", stay: "Seguir" });
  expect(field).toHaveValue("Año");
  await user.click(await within(dialog).findByRole("button", { name: "Cerrar" }));
  await user.click(await screen.findByRole("button", { name: "Salir sin importar" }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
});

describe("what was matched", () => {
  const offer = { name: "Recuperar" };
  const stored = () =>
    Object.entries(localStorage).find(([key]) => key.includes(" draft import movies "))?.[1];
  async function open() {
    const page = await opened();
    await page.choose("peliculas.csv");
    const dialog = within(page.dialog);
    return { ...page, dialog, field: await dialog.findByRole("combobox", { name: "Campo de «Estreno»" }) };
  }
  async function crashAfterMatching() {
    const { user, dialog, field } = await open();
    await user.click(field);
    await user.click(await screen.findByRole("option", { name: "Año" }));
    await user.click(dialog.getByRole("button", { name: "Añadir un valor" }));
    await user.type(dialog.getByRole("textbox"), "7");
    await waitFor(() => expect(stored()).toContain('"value":"7"'));
    losePage();
  }

  test("survives a crash for a file with the same headings, until it is imported", async () => {
    await crashAfterMatching();
    const { user, dialog, field } = await open();
    expect(field).toHaveValue("");
    await user.click(await dialog.findByRole("button", offer));
    expect(field).toHaveValue("Año");
    await user.click(dialog.getByRole("button", { name: "Vista previa" }));
    await user.click(await dialog.findByRole("button", { name: "Importar 3 filas" }));
    expect(await dialog.findByText("Terminado. Se puede deshacer durante 24 horas.")).toBeVisible();
    expect(stored()).toBeUndefined();
    expect(sent.at(-1)).toMatchObject({ columns: ["title", "year", null], defaults: [{ value: "7" }] });
  });

  test("is not proposed again after a way back to it from its preview", async () => {
    await crashAfterMatching();
    const { user, dialog } = await open();
    await user.click(await dialog.findByRole("button", offer));
    await user.click(dialog.getByRole("button", { name: "Vista previa" }));
    await user.click(await dialog.findByRole("button", { name: "Atrás" }));
    expect(await dialog.findByRole("combobox", { name: "Campo de «Estreno»" })).toHaveValue("Año");
    expect(dialog.queryByRole("button", offer)).not.toBeInTheDocument();
  });

  test("is not proposed for a file with other headings, nor once it was left on purpose", async () => {
    await crashAfterMatching();
    const other = { ...uploaded, columns: uploaded.columns.slice(0, 2) };
    server.use(
      http.post("/api/movies/spreadsheet-imports", () => HttpResponse.json(other, { status: 201 }), {
        once: true,
      }),
    );
    const first = await open();
    expect(first.dialog.queryByRole("button", offer)).not.toBeInTheDocument();
    await first.user.click(first.dialog.getByRole("button", { name: "Atrás" }));
    await first.choose("peliculas.csv");
    await first.user.click(await first.dialog.findByRole("button", offer));
    await first.user.click(first.dialog.getByRole("button", { name: "Atrás" }));
    await first.user.click(await screen.findByRole("button", { name: "Salir sin importar" }));
    await first.choose("peliculas.csv");
    await first.dialog.findByRole("combobox", { name: "Campo de «Estreno»" });
    expect(first.dialog.queryByRole("button", offer)).not.toBeInTheDocument();
    expect(stored()).toBeUndefined();
  });
});

test("a file that can't be read says why, and another one can be chosen", async () => {
  server.use(
    http.post("/api/movies/spreadsheet-imports", () =>
      HttpResponse.json(
        {
          code: "VALIDATION_FAILED",
          message: "Revisa los datos.",
          errors: [{ field: "file", code: "EMPTY_SHEET", message: "La hoja no tiene filas" }],
        },
        { status: 422 },
      ),
    ),
  );
  const { dialog, choose } = await opened();
  await choose("vacio.csv");
  expect(await within(dialog).findByText("La hoja no tiene filas")).toBeVisible();
  expect(within(dialog).getByRole("button", { name: "Elegir un archivo…" })).toBeEnabled();
});

test("another worksheet takes the matched columns after a question, and a blank one leaves them", async () => {
  server.use(
    http.post("/api/movies/spreadsheet-imports", ({ request }) => {
      const sheet = new URL(request.url).searchParams.get("sheet");
      if (sheet === "Vacía")
        return HttpResponse.json(
          {
            code: "VALIDATION_FAILED",
            message: "Revisa los datos.",
            errors: [{ field: "file", code: "EMPTY_SHEET", message: "La hoja no tiene filas" }],
          },
          { status: 422 },
        );
      return HttpResponse.json(
        { ...uploaded, worksheets: ["Enero", "Febrero", "Vacía"], worksheet: sheet ?? "Enero" },
        { status: 201 },
      );
    }),
  );
  const { user, dialog, choose } = await opened();
  await choose("libro.xlsx");
  const field = () => within(dialog).getByRole("combobox", { name: "Campo de «Estreno»" });
  const worksheet = () => within(dialog).getByRole("combobox", { name: "Hoja" });
  await within(dialog).findByRole("table");
  await user.click(field());
  await user.click(await screen.findByRole("option", { name: "Año" }));
  const read = async (name: string, verb: string) => {
    await user.click(worksheet());
    await user.click(await screen.findByRole("option", { name }));
    const question = within(await screen.findByRole("dialog", { name: `¿Leer la hoja «${name}»?` }));
    await user.click(question.getByRole("button", { name: verb }));
  };
  await read("Febrero", "Seguir");
  expect(worksheet()).toHaveValue("Enero");
  await read("Vacía", "Leer esa hoja");
  expect(await within(dialog).findByText("La hoja no tiene filas")).toBeVisible();
  expect(worksheet()).toHaveValue("Enero");
  expect(field()).toHaveValue("Año");
  await read("Febrero", "Leer esa hoja");
  await waitFor(() => expect(worksheet()).toHaveValue("Febrero"));
  expect(field()).toHaveValue("");
  expect(within(dialog).queryByText("La hoja no tiene filas")).not.toBeInTheDocument();
});

test("a preview that is left before it has ended is cancelled", async () => {
  const cancelled: unknown[] = [];
  server.use(
    http.post("/api/movies/spreadsheet-imports/5/run", () => {
      operations.push(operation(1, { dryRun: true, state: "RUNNING", done: 1 }));
      return HttpResponse.json(operations[0], { status: 202 });
    }),
    http.post("/api/operations/:id/cancel", ({ params }) => {
      cancelled.push(params.id);
      return HttpResponse.json({ ...operations[0], state: "CANCELLED" });
    }),
  );
  const { user, dialog, choose } = await opened();
  await choose("peliculas.csv");
  await user.click(await within(dialog).findByRole("button", { name: "Vista previa" }));
  await within(dialog).findByText(/^Comprobando las filas/);
  await user.click(within(dialog).getByRole("button", { name: "Cerrar" }));
  await waitFor(() => expect(cancelled).toEqual(["1"]));
});

test("a workbook with several worksheets is read again with another one", async () => {
  const read: (string | null)[] = [];
  server.use(
    http.post("/api/movies/spreadsheet-imports", ({ request }) => {
      const sheet = new URL(request.url).searchParams.get("sheet");
      read.push(sheet);
      return HttpResponse.json(
        { ...uploaded, worksheets: ["Enero", "Febrero"], worksheet: sheet ?? "Enero" },
        { status: 201 },
      );
    }),
  );
  const { user, dialog, choose } = await opened();
  await choose("libro.xlsx");
  await user.click(await within(dialog).findByRole("combobox", { name: "Hoja" }));
  await user.click(await screen.findByRole("option", { name: "Febrero" }));
  expect(await within(dialog).findByRole("combobox", { name: "Hoja" })).toHaveValue("Febrero");
  expect(read).toEqual([null, "Febrero"]);
});

test("what a column may be is said, until it is chosen", async () => {
  const unclear = {
    ...uploaded,
    columns: [
      { heading: "Título", samples: ["Metrópolis"], key: null, fits: ["title"] },
      { heading: "Título *", samples: ["Metropolis"], key: null, fits: ["title"] },
      { heading: "Estreno", samples: ["1927"], key: null, fits: ["year", "categoryId.name"] },
    ],
  };
  server.use(http.post("/api/movies/spreadsheet-imports", () => HttpResponse.json(unclear, { status: 201 })));
  const { user, dialog, choose } = await opened();
  await choose("peliculas.csv");
  const several = "Varias columnas pueden ser «Título»: elige una.";
  expect(await within(dialog).findAllByText(several)).toHaveLength(2);
  expect(within(dialog).getByText("Puede ser Año, Categoría: elige.")).toBeVisible();
  await user.click(within(dialog).getByRole("combobox", { name: "Campo de «Título *»" }));
  await user.click(await screen.findByRole("option", { name: "Título" }));
  expect(within(dialog).queryByText(several)).toBeNull();
});
