// Many items at once: rows are selected, a change is previewed, made, and undone.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import {
  type Operation,
  type OperationRequest,
  type OperationRow,
  operationQueries,
} from "../../../operations/queries";
import { backend, problem } from "../../../testing/backend";
import { expectLeavingConfirms } from "../../../testing/leaving";
import { renderPage } from "../../../testing/render";
import { server } from "../../../testing/server";

const counts = { changed: 2, unchanged: 1, refused: 1, conflicts: 0, missing: 0, created: 0 };

type Change = NonNullable<Operation["action"]>;

const change = (of: Pick<Change, "type"> & Partial<Change>): Change => ({
  fields: null,
  find: null,
  list: null,
  numbers: null,
  replacement: null,
  set: null,
  values: null,
  ...of,
});

function operation(id: number, more: Partial<Operation> = {}): Operation {
  return {
    id,
    resource: "movies",
    action: change({ type: "SET", set: { kidsContent: true } }),
    import: null,
    undoOf: null,
    undoneBy: null,
    undoUntil: null,
    dryRun: false,
    state: "FINISHED",
    failure: null,
    createdBy: "ana",
    createdDate: "2026-11-20T10:00:00.000Z",
    finishedDate: "2026-11-20T10:00:01.000Z",
    total: 4,
    done: 4,
    counts,
    ...more,
  };
}

const row = (verdict: OperationRow["verdict"], more: Partial<OperationRow> = {}): OperationRow => ({
  position: 0,
  itemId: 7,
  title: "Metrópolis",
  verdict,
  before: {},
  after: {},
  problems: [],
  sheetRow: null,
  ...more,
});

const page = (content: Operation[], more: object = {}) => ({
  content,
  page: 0,
  size: 25,
  totalPages: 1,
  totalElements: content.length,
  ...more,
});

let operations: Operation[];
/** What was sent to begin operations. */
let sent: (OperationRequest & { dryRun: boolean })[];

beforeEach(() => {
  operations = [];
  sent = [];
  server.use(
    http.post("/api/operations", async ({ request }) => {
      const body = (await request.json()) as (typeof sent)[number];
      sent.push(body);
      const inADay = new Date(Date.now() + 86_400_000).toISOString();
      const made = operation(operations.length + 1, {
        dryRun: body.dryRun,
        ...(body.action.type === "DELETE" && { action: change({ type: "DELETE" }) }),
        undoUntil: body.dryRun ? null : inADay,
      });
      operations.push(made);
      return HttpResponse.json({ ...made, state: "WAITING", done: 0 }, { status: 202 });
    }),
    http.get("/api/operations/:id", ({ params }) => HttpResponse.json(operations[Number(params.id) - 1])),
    http.get("/api/operations/:id/rows", ({ request }) => {
      const query = new URL(request.url).searchParams;
      if (query.get("problems")) return HttpResponse.json([]);
      return HttpResponse.json([
        query.get("verdict") === "REFUSED"
          ? row("REFUSED", {
              problems: [
                { field: "year", column: null, code: "TOO_SMALL", message: "Año debe ser al menos 1900" },
              ],
            })
          : row("CHANGED", { before: { kidsContent: false }, after: { kidsContent: true } }),
      ]);
    }),
    http.post("/api/operations/:id/undo", ({ params }) => {
      const undo = operation(operations.length + 1, {
        undoOf: Number(params.id),
        action: null,
        counts: { ...counts, refused: 0 },
      });
      operations.push(undo);
      return HttpResponse.json({ ...undo, state: "WAITING", done: 0 }, { status: 202 });
    }),
  );
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
  // Whoever takes one out of all keeps the others of the page: what all match is no list of rows.
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

test("the details of an operation that is under way follow it", async () => {
  const at = (done: number, state: Operation["state"]) =>
    operation(1, { state, done, counts: { ...counts, changed: done, refused: 0, unchanged: 0 } });
  let now = at(1, "RUNNING");
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page([now]))),
    http.get("/api/operations/1", () => HttpResponse.json(now)),
    http.get("/api/operations/1/rows", () =>
      HttpResponse.json(
        Array.from({ length: now.done }, (_, position) =>
          row("CHANGED", { position, title: `Película ${position + 1}` }),
        ),
      ),
    ),
  );
  const { user } = renderPage("/operations");
  await user.click(await screen.findByRole("button", { name: "Ver detalle" }));
  const details = within(await screen.findByRole("dialog"));
  expect(await details.findByText("Película 1")).toBeVisible();
  now = at(4, "FINISHED");
  expect(await details.findByText("Película 4")).toBeVisible();
  expect(details.getByText("4 cambiados")).toBeVisible();
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

test("what an undo left as it is, is said in the dialog and in the details", async () => {
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
  await user.click((await screen.findAllByRole("button", { name: "Ver detalle" }))[2] as HTMLElement);
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

test("who may not change a kind has no boxes", async () => {
  backend.user = { ...backend.user, roleCode: "contentManager", permissions: ["MOVIE_READ"] } as never;
  renderPage("/content/movies");
  await screen.findByText(/^Mostrando/);
  expect(screen.queryByRole("checkbox", { name: /^Seleccionar/ })).not.toBeInTheDocument();
});

test("the page of operations says what was done, and undoes it", async () => {
  operations = [
    operation(1, { undoUntil: new Date(Date.now() + 3_600_000).toISOString() }),
    operation(2, {
      action: change({ type: "REPLACE", fields: ["links"], find: "http://old", replacement: "https://new" }),
      state: "FAILED",
      failure: "FORBIDDEN",
    }),
  ];
  server.use(http.get("/api/operations", () => HttpResponse.json(page(operations))));
  const { user } = renderPage("/operations");
  const list = await screen.findByRole("list", { name: "Operaciones masivas" });
  expect(within(list).getByText("Contenido infantil = Sí")).toBeVisible();
  expect(within(list).getByText("Enlaces: «http://old» → «https://new»")).toBeVisible();
  await user.click(within(list).getAllByRole("button", { name: "Ver detalle" })[0] as HTMLElement);
  const details = await screen.findByRole("dialog", { name: "Contenido infantil = Sí" });
  expect(await within(details).findByText("Año: Año debe ser al menos 1900")).toBeVisible();
  expect(within(details).getByRole("link", { name: /CSV/ })).toHaveAttribute(
    "href",
    "/api/operations/1/failures?language=es",
  );
  await user.keyboard("{Escape}");
  await user.click(within(list).getByRole("button", { name: "Deshacer" }));
  const question = await screen.findByRole("dialog", { name: "¿Deshacer la operación?" });
  await user.click(within(question).getByRole("button", { name: "Deshacer" }));
  expect(await within(list).findByText("Deshace la operación 1")).toBeVisible();
});

test("operations and their rows show values by their names, and what is missing", async () => {
  operations = [
    operation(1, { action: change({ type: "ADD", list: "genres", values: ["SCI_FI", "DRAMA"] }) }),
    operation(2, {
      action: change({ type: "SET", set: { categoryId: 2, linkQuality: "FHD" } }),
      counts: { ...counts, unchanged: 0, refused: 0, missing: 2 },
    }),
    operation(3, {
      resource: "users",
      action: change({ type: "SET", set: { status: "INACTIVE", registeredBy: null } }),
    }),
  ];
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page(operations))),
    http.get("/api/operations/2/rows", ({ request }) => {
      const verdict = new URL(request.url).searchParams.get("verdict");
      const [before, after] = [
        { categoryId: 1, genres: [] },
        { categoryId: 2, genres: ["SCI_FI"] },
      ];
      return HttpResponse.json([
        verdict === "MISSING" ? row("MISSING", { title: "" }) : row("CHANGED", { before, after }),
      ]);
    }),
  );
  const { user } = renderPage("/operations");
  const list = within(await screen.findByRole("list", { name: "Operaciones masivas" }));
  expect(await list.findByText("Géneros + Ciencia ficción, Drama")).toBeVisible();
  expect(
    await list.findByText("Categoría = Clásicos, Calidad de los enlaces = Full HD (1080p)"),
  ).toBeVisible();
  expect(await list.findByText("Estado = Inactivo, Registrado por = Nadie")).toBeVisible();
  expect(list.getByText("2 ya no existen")).toBeVisible();
  await user.click(list.getAllByRole("button", { name: "Ver detalle" })[1] as HTMLElement);
  const details = within(await screen.findByRole("dialog"));
  expect(await details.findByText("Acción")).toBeVisible();
  expect(details.getByText("Clásicos")).toBeVisible();
  expect(details.getByText("Ciencia ficción")).toBeVisible();
  expect(details.getByRole("region", { name: "No existe (2)" })).toBeVisible();
});

test("operations have pages and filters, and an address leads to one that is on another page", async () => {
  backend.user = { ...backend.user, roleCode: "admin" } as never;
  const inADay = new Date(Date.now() + 86_400_000).toISOString();
  operations = [operation(1, { undoUntil: inADay, createdBy: "eva" })];
  const asked: string[] = [];
  server.use(
    http.get("/api/operations", ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      asked.push(search);
      const shown = { page: Number(searchParams.get("_page")), totalPages: 3, totalElements: 60 };
      return HttpResponse.json(page([operation(60 - 25 * shown.page)], shown));
    }),
  );
  const { user, address } = renderPage("/operations?operation=1");
  const details = within(await screen.findByRole("dialog", { name: "Contenido infantil = Sí" }));
  expect(details.getByText(/^eva ·/)).toBeVisible();
  expect(details.getByRole("button", { name: "Deshacer" })).toBeVisible();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(address()).toBe("/operations");
  await user.click(screen.getByRole("button", { name: "Página siguiente" }));
  await waitFor(() => expect(asked.at(-1)).toBe("?_page=1&_size=25"));
  expect(await screen.findByText(/^Mostrando 26.*60/)).toBeVisible();
  await user.type(
    screen.getByRole("searchbox", { name: "Nombre de usuario de quien la inició" }),
    "eva{Enter}",
  );
  await waitFor(() => expect(asked.at(-1)).toBe("?_page=0&_size=25&createdBy=eva"));
  await user.selectOptions(screen.getByRole("combobox", { name: "Estado" }), "Cancelada");
  await waitFor(() => expect(asked.at(-1)).toContain("state=CANCELLED"));
  expect(address()).toBe("/operations?createdBy=eva&state=CANCELLED");
});

test("an operation is read again while it is under way, and not once its read has failed", () => {
  const { refetchInterval } = operationQueries.one(9);
  if (typeof refetchInterval !== "function") throw new Error("no function");
  const interval = (state: object) => refetchInterval({ state } as Parameters<typeof refetchInterval>[0]);
  expect(interval({ data: undefined, error: null })).toBeGreaterThan(0);
  expect(interval({ data: operation(9, { state: "RUNNING" }), error: null })).toBeGreaterThan(0);
  expect(interval({ data: operation(9), error: null })).toBe(false);
  expect(interval({ data: undefined, error: new Error() })).toBe(false);
});

test("lists that an undo changes are read again where the list of operations does not show it", async () => {
  operations = [operation(1, { undoUntil: new Date(Date.now() + 3_600_000).toISOString() })];
  let reads = 0;
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page(operations.slice(0, 1)))),
    http.get("/api/movies", () => {
      reads += 1;
      return HttpResponse.json({ content: [], page: 0, size: 10, totalPages: 0, totalElements: 0 });
    }),
  );
  const { user, router } = renderPage("/content/movies");
  await waitFor(() => expect(reads).toBe(1));
  await act(() => router.navigate("/operations?createdBy=ana"));
  await user.click(await screen.findByRole("button", { name: "Deshacer" }));
  const question = await screen.findByRole("dialog", { name: "¿Deshacer la operación?" });
  let isEnded = false;
  server.use(
    http.get("/api/operations/2", () => {
      isEnded = true;
      return HttpResponse.json(operations[1]);
    }),
  );
  await user.click(within(question).getByRole("button", { name: "Deshacer" }));
  await waitFor(() => expect(isEnded).toBe(true));
  await act(() => router.navigate("/content/movies"));
  await waitFor(() => expect(reads).toBe(2));
});

test("an operation that is gone says so at its address", async () => {
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page([]))),
    http.get("/api/operations/9", () => problem(404, { code: "NOT_FOUND", message: "No existe." })),
  );
  renderPage("/operations?operation=9");
  const dialog = within(await screen.findByRole("dialog", { name: "Operación 9" }));
  expect(await dialog.findByText("No existe.")).toBeVisible();
});
