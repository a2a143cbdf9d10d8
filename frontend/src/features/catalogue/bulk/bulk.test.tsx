// Many items at once: rows are selected, a change is previewed, made, and undone.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { localDraft } from "../../../forms/localDraft";
import type { Operation, OperationRow } from "../../../operations/queries";
import { backend, problem } from "../../../testing/backend";
import { expectLeavingConfirms, losePage } from "../../../testing/leaving";
import { operation, page, row, serveOperations } from "../../../testing/operations";
import { renderPage } from "../../../testing/render";
import { server } from "../../../testing/server";

let operations: Operation[];
let sent: ReturnType<typeof serveOperations>["sent"];

beforeEach(() => {
  ({ operations, sent } = serveOperations());
});

async function boxes() {
  await screen.findByText(/^Mostrando/);
  return screen.getAllByRole("checkbox", { name: /^Seleccionar «/ });
}

async function chooseKids(user: ReturnType<typeof renderPage>["user"]) {
  await user.click(await screen.findByRole("button", { name: "Cambiar…" }));
  const dialog = await screen.findByRole("dialog");
  await user.click(within(dialog).getByRole("combobox", { name: "Qué cambiar" }));
  await user.click(await screen.findByRole("option", { name: "Contenido infantil" }));
  await user.click(within(dialog).getByRole("combobox", { name: "Nuevo valor" }));
  await user.click(await screen.findByRole("option", { name: "Sí" }));
  await user.click(within(dialog).getByRole("button", { name: "Vista previa" }));
  return dialog;
}

test("rows are selected one by one, as a range, as a page, and by all that match", async () => {
  const { user } = renderPage("/content/movies");
  const rows = await boxes();
  await user.click(rows[1] as HTMLElement);
  await user.keyboard("{Shift>}");
  await user.click(rows[4] as HTMLElement);
  await user.keyboard("{/Shift}");
  expect(await screen.findByText("4 seleccionados")).toBeVisible();
  await user.click(screen.getByRole("checkbox", { name: "Seleccionar esta página" }));
  expect(await screen.findByText("10 seleccionados")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Seleccionar los 65 que coinciden" }));
  expect(await screen.findByText("65 seleccionados")).toBeVisible();
  // Another page belongs to the same list, another search does not.
  await user.click(screen.getByRole("button", { name: "Página siguiente" }));
  await screen.findByText("Mostrando 11 a 20 de 65 resultados");
  expect(screen.getByText("65 seleccionados")).toBeVisible();
  // Deselecting one of all rows leaves the others of the page: "all" is a filter and not a list of rows.
  const page = await boxes();
  await user.click(page[2] as HTMLElement);
  expect(await screen.findByText("9 seleccionados")).toBeVisible();
  const narrowed = "Solo de esta página: lo demás ya no está seleccionado.";
  expect(screen.getByText(narrowed)).toBeVisible();
  expect(page.map((box) => (box as HTMLInputElement).checked)).toEqual(page.map((_, at) => at !== 2));
  await user.click(screen.getByRole("button", { name: "Seleccionar los 65 que coinciden" }));
  expect(screen.queryByText(narrowed)).not.toBeInTheDocument();
  await user.type(screen.getByRole("searchbox"), "a");
  await waitFor(() => expect(screen.queryByText(/seleccionados/)).not.toBeInTheDocument());
});

test("a change is previewed, made and undone; the selection ends with it", async () => {
  const { user } = renderPage("/content/movies?search=e");
  const rows = await boxes();
  await user.click(rows[0] as HTMLElement);
  await user.click(rows[2] as HTMLElement);
  const dialog = await chooseKids(user);
  expect(await within(dialog).findAllByText("2 cambiarán")).toHaveLength(2);
  expect(within(dialog).getByText("Año: Año debe ser al menos 1900")).toBeVisible();
  expect(sent[0]?.ids).toHaveLength(2);
  expect(sent[0]).toMatchObject({ dryRun: true, action: { type: "SET", set: { kidsContent: true } } });

  await user.click(within(dialog).getByRole("button", { name: "Cambiar 2" }));
  expect(await within(dialog).findByText("Terminado. Se puede deshacer durante 24 horas.")).toBeVisible();
  expect(sent[1]).toMatchObject({ dryRun: false, expectedCount: 4 });
  await user.click(within(dialog).getByRole("button", { name: "Deshacer" }));
  expect(await within(dialog).findByText("Deshecho.")).toBeVisible();
  await user.click(within(dialog).getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
  await waitFor(() => expect(screen.queryByText(/seleccionados/)).not.toBeInTheDocument());
});

test("an operation that has ended when it is stopped shows its end, and no failure", async () => {
  let isRunning = true;
  server.use(
    http.get("/api/operations/:id", ({ params }) => {
      const found = operations[Number(params.id) - 1] as Operation;
      return HttpResponse.json(isRunning && !found.dryRun ? { ...found, state: "RUNNING" } : found);
    }),
    http.post("/api/operations/:id/cancel", () => {
      isRunning = false;
      return problem(409, { code: "OPERATION_REFUSED", message: "La operación ya terminó." });
    }),
  );
  const { user } = renderPage("/content/movies?search=e");
  await user.click((await boxes())[0] as HTMLElement);
  const dialog = within(await chooseKids(user));
  await user.click(await dialog.findByRole("button", { name: "Cambiar 2" }));
  await user.click(await dialog.findByRole("button", { name: "Detener" }));
  expect(await dialog.findByText(/^Terminado/)).toBeVisible();
  expect(screen.queryByText("La operación ya terminó.")).not.toBeInTheDocument();
});

test("a preview has items of each verdict, and the result those of each failure", async () => {
  const ofEach = { changed: 1, unchanged: 1, refused: 1, conflicts: 1, missing: 1, created: 0 };
  server.use(
    http.get("/api/operations/:id", ({ params }) =>
      HttpResponse.json({ ...operations[Number(params.id) - 1], counts: ofEach }),
    ),
    http.get("/api/operations/:id/rows", ({ request }) => {
      const verdict = new URL(request.url).searchParams.get("verdict") as OperationRow["verdict"];
      return HttpResponse.json([row(verdict, { title: `Título ${verdict}` })]);
    }),
  );
  const { user } = renderPage("/content/movies?search=e");
  await user.click((await boxes())[0] as HTMLElement);
  const dialog = within(await chooseKids(user));
  for (const verdict of ["CHANGED", "UNCHANGED", "REFUSED", "CONFLICT", "MISSING"])
    expect(await dialog.findByText(`Título ${verdict}`)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Cambiar 1" }));
  for (const verdict of ["REFUSED", "CONFLICT", "MISSING"])
    expect(await dialog.findByText(`Título ${verdict}`)).toBeVisible();
  expect(dialog.queryByText("Título UNCHANGED")).not.toBeInTheDocument();
});

test("a preview that is left before it has ended is cancelled", async () => {
  const cancelled: string[] = [];
  let answer: Promise<void> | undefined;
  server.use(
    http.post("/api/operations", async () => {
      const made = operation(operations.length + 1, { dryRun: true, state: "RUNNING", done: 1 });
      operations.push(made);
      await answer;
      return HttpResponse.json(made, { status: 202 });
    }),
    http.post("/api/operations/:id/cancel", ({ params }) => {
      cancelled.push(String(params.id));
      return HttpResponse.json({ ...operations[Number(params.id) - 1], state: "CANCELLED" });
    }),
  );
  const { user } = renderPage("/content/movies?search=e");
  await user.click((await boxes())[0] as HTMLElement);
  const dialog = within(await chooseKids(user));
  await dialog.findByText("Comprobando… 1 / 4");
  await user.click(dialog.getByRole("button", { name: "Atrás" }));
  await waitFor(() => expect(cancelled).toEqual(["1"]));
  await user.click(dialog.getByRole("button", { name: "Vista previa" }));
  await dialog.findByText("Comprobando… 1 / 4");
  await user.click(dialog.getByRole("button", { name: "Cerrar" }));
  await waitFor(() => expect(cancelled).toEqual(["1", "2"]));
  // Closed before the preview has begun at all.
  let begin = () => {};
  answer = new Promise((resolve) => {
    begin = resolve;
  });
  const again = within(await chooseKids(user));
  await waitFor(() => expect(operations).toHaveLength(3));
  await user.click(again.getByRole("button", { name: "Cerrar" }));
  begin();
  await waitFor(() => expect(cancelled).toEqual(["1", "2", "3"]));
});

test("items that an undo did not restore are shown in the dialog and in the details", async () => {
  server.use(
    http.get("/api/operations/:id/rows", ({ params, request }) => {
      const query = new URL(request.url).searchParams;
      if (params.id !== "3" || query.get("verdict") !== "CHANGED") return HttpResponse.json([]);
      const rows = [
        row("CHANGED", { title: "Nosferatu", before: { year: 1922 }, after: { year: 1921 } }),
        row("CHANGED", {
          position: 1,
          before: { year: 1927 },
          after: { year: 1926 },
          problems: [
            { field: "title", column: null, code: "CHANGED_SINCE", message: "Alguien lo cambió después" },
          ],
        }),
      ];
      const isWanted = ({ problems }: OperationRow) => !query.get("problems") || problems.length > 0;
      return HttpResponse.json(rows.filter(isWanted));
    }),
    http.get("/api/operations", () => HttpResponse.json(page(operations))),
  );
  const { user, router } = renderPage("/content/movies?search=e");
  await user.click((await boxes())[0] as HTMLElement);
  const dialog = await chooseKids(user);
  await user.click(await within(dialog).findByRole("button", { name: "Cambiar 2" }));
  await user.click(await within(dialog).findByRole("button", { name: "Deshacer" }));
  expect(await within(dialog).findByText("Deshecho en parte.")).toBeVisible();
  const title = "De 1 elemento se quedó como está lo que alguien cambió después";
  const left = within(dialog).getByRole("region", { name: title });
  expect(left).toHaveTextContent("Metrópolis");
  expect(left).toHaveTextContent("Título: Alguien lo cambió después");
  expect(left).not.toHaveTextContent("Nosferatu");
  await user.click(within(dialog).getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
  await act(() => router.navigate("/operations"));
  await user.click(await screen.findByRole("button", { name: "Ver detalle de la operación 3" }));
  expect(await screen.findByRole("region", { name: title })).toHaveTextContent("Metrópolis");
});

test("a text that was typed is not lost without a question", async () => {
  const page = renderPage("/content/movies");
  const { user } = page;
  await user.click((await boxes())[0] as HTMLElement);
  await user.click(await screen.findByRole("button", { name: "Cambiar…" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("combobox", { name: "Qué cambiar" }));
  await user.click(await screen.findByRole("option", { name: /^Título/ }));
  await user.type(dialog.getByLabelText("Buscar"), "Uno");
  // Escape closes the question, and not what it is about.
  await user.keyboard("{Escape}");
  const question = { name: "¿Salir sin guardar?" };
  await screen.findByRole("dialog", question);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog", question)).not.toBeInTheDocument());
  await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
  await expectLeavingConfirms(page);
  // Another filter is another list, of which nothing is selected.
  await expectLeavingConfirms(page, { to: "/content/movies?search=dos" });
  expect(dialog.getByLabelText("Buscar")).toHaveValue("Uno");
});

describe("a text that is to be replaced", () => {
  const stored = () => localDraft("ana", "bulk movies")?.values;
  async function open() {
    const { user } = renderPage("/content/movies");
    await user.click((await boxes())[0] as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Cambiar…" }));
    return { user, dialog: within(await screen.findByRole("dialog")) };
  }
  const choose = async ({ user, dialog }: Awaited<ReturnType<typeof open>>, field: RegExp) => {
    await user.click(dialog.getByRole("combobox", { name: "Qué cambiar" }));
    await user.click(await screen.findByRole("option", { name: field }));
  };

  test("survives a crash, until the change is made", async () => {
    const first = await open();
    await choose(first, /^Título/);
    await first.user.type(first.dialog.getByLabelText("Buscar"), "Uno");
    await waitFor(() => expect(stored()?.values).toEqual(["Uno", ""]));
    losePage();
    const { user, dialog } = await open();
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    expect(dialog.getByLabelText("Buscar")).toHaveValue("Uno");
    await user.click(dialog.getByRole("button", { name: "Vista previa" }));
    await user.click(await dialog.findByRole("button", { name: /^Cambiar \d/ }));
    await waitFor(() => expect(stored()).toBeUndefined());
  });

  test("stays stored while the selected are deleted", async () => {
    const first = await open();
    await choose(first, /^Título/);
    await first.user.type(first.dialog.getByLabelText("Buscar"), "Uno");
    await waitFor(() => expect(stored()?.values).toEqual(["Uno", ""]));
    losePage();
    const { user } = renderPage("/content/movies");
    await user.click((await boxes())[0] as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Eliminar…" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(await dialog.findByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored()?.values).toEqual(["Uno", ""]);
  });

  test("leaves no draft where nothing was typed", async () => {
    const page = await open();
    await choose(page, /^Contenido infantil/);
    await waitFor(() => expect(stored()?.key).toBe("kidsContent"));
    await page.user.click(page.dialog.getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored()).toBeUndefined();
  });
});

test("the selected are deleted after a preview, by those who may delete", async () => {
  const { user } = renderPage("/content/movies?search=e");
  const rows = await boxes();
  await user.click(rows[0] as HTMLElement);
  await user.click(rows[1] as HTMLElement);
  await user.click(await screen.findByRole("button", { name: "Eliminar…" }));
  const dialog = await screen.findByRole("dialog", { name: "Eliminar 2 elementos" });
  await within(dialog).findAllByText("2 se eliminarán");
  expect(sent[0]).toMatchObject({ dryRun: true, action: { type: "DELETE" } });
  expect(sent).toHaveLength(1);
  let isRunning = true;
  server.use(
    http.get("/api/operations/2", () =>
      HttpResponse.json({ ...operations[1], ...(isRunning && { state: "RUNNING", done: 1 }) }),
    ),
  );
  await user.click(within(dialog).getByRole("button", { name: "Eliminar 2" }));
  expect(await within(dialog).findByText("Eliminando… 1 / 4")).toBeVisible();
  isRunning = false;
  expect(await within(dialog).findByText("2 eliminados")).toBeVisible();
  expect(sent[1]).toMatchObject({ dryRun: false, expectedCount: 4, action: { type: "DELETE" } });
});

test("all that match are sent as the filter, and a number that has changed is said", async () => {
  const { user } = renderPage("/content/movies?search=e&active=true");
  await boxes();
  await user.click(screen.getByRole("checkbox", { name: "Seleccionar esta página" }));
  await user.click(await screen.findByRole("button", { name: /^Seleccionar los/ }));
  const dialog = await chooseKids(user);
  await within(dialog).findAllByText("2 cambiarán");
  expect(sent[0]).toMatchObject({ filter: { search: "e", active: "true" } });
  expect(sent[0]).not.toHaveProperty("ids");
  const message = "Ahora coinciden 5 elementos. Vuelve a revisarlos.";
  server.use(http.post("/api/operations", () => problem(409, { code: "COUNT_CHANGED", message })));
  await user.click(within(dialog).getByRole("button", { name: "Cambiar 2" }));
  expect(await within(dialog).findByText(message)).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Atrás" }));
  expect(within(dialog).getByRole("combobox", { name: "Nuevo valor" })).toHaveValue("Sí");
});

test("users who may not change a kind have no checkboxes", async () => {
  backend.user = { ...backend.user, roleCode: "contentManager", permissions: ["MOVIE_READ"] } as never;
  renderPage("/content/movies");
  await screen.findByText(/^Mostrando/);
  expect(screen.queryByRole("checkbox", { name: /^Seleccionar/ })).not.toBeInTheDocument();
});
