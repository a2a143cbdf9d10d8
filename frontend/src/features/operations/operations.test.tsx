// The page of bulk operations: what was done, and its undo.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { type Operation, type OperationRow, operationQueries } from "../../operations/queries";
import { placeOf } from "../../operations/resources";
import { backend, problem } from "../../testing/backend";
import { change, counts, operation, page, row, serveOperations } from "../../testing/operations";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

type SavedView = Record<string, unknown> & { isDefault: boolean };

let operations: Operation[];

beforeEach(() => {
  ({ operations } = serveOperations());
});

test("the details of a running operation are updated", async () => {
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
  await user.click(await screen.findByRole("button", { name: "Ver detalle de la operación 1" }));
  const details = within(await screen.findByRole("dialog"));
  expect(await details.findByText("Película 1")).toBeVisible();
  now = at(4, "FINISHED");
  expect(await details.findByText("Película 4")).toBeVisible();
  expect(details.getByText("4 cambiados")).toBeVisible();
});

test("the page of operations says what was done, and undoes it", async () => {
  operations.push(
    operation(1, { undoUntil: new Date(Date.now() + 3_600_000).toISOString() }),
    operation(2, {
      action: change({ type: "REPLACE", fields: ["links"], find: "http://old", replacement: "https://new" }),
      state: "FAILED",
      failure: "FORBIDDEN",
    }),
  );
  server.use(http.get("/api/operations", () => HttpResponse.json(page(operations))));
  const { user } = renderPage("/operations");
  const list = await screen.findByRole("table", { name: "Operaciones masivas" });
  expect(await within(list).findByText("Contenido infantil = Sí")).toBeVisible();
  expect(within(list).getByText("Enlaces: «http://old» → «https://new»")).toBeVisible();
  await user.click(within(list).getByRole("button", { name: "Ver detalle de la operación 1" }));
  const details = await screen.findByRole("dialog", { name: "Contenido infantil = Sí" });
  expect(await within(details).findByText("Año: Año debe ser al menos 1900")).toBeVisible();
  expect(within(details).getByRole("link", { name: /CSV/ })).toHaveAttribute(
    "href",
    "/api/operations/1/failures?language=es",
  );
  await user.keyboard("{Escape}");
  await user.click(within(list).getByRole("button", { name: "Deshacer la operación 1" }));
  const question = await screen.findByRole("dialog", { name: "¿Deshacer la operación?" });
  await user.click(within(question).getByRole("button", { name: "Deshacer" }));
  expect(await within(list).findByText("Deshace la operación 1")).toBeVisible();
});

test("the details of an operation say what came of its undo, also where it changed nothing", async () => {
  const inADay = new Date(Date.now() + 86_400_000).toISOString();
  operations.push(operation(1, { undoUntil: inADay }));
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page(operations.slice(0, 1)))),
    http.post("/api/operations/1/undo", () => {
      const undo = operation(2, {
        undoOf: 1,
        action: null,
        counts: { ...counts, changed: 0, unchanged: 0, refused: 0, conflicts: 2 },
      });
      operations.push(undo);
      return HttpResponse.json({ ...undo, state: "WAITING", done: 0 }, { status: 202 });
    }),
  );
  const { user, address } = renderPage("/operations?operation=1");
  const details = within(await screen.findByRole("dialog", { name: "Contenido infantil = Sí" }));
  await user.click(details.getByRole("button", { name: "Deshacer" }));
  const question = await screen.findByRole("dialog", { name: "¿Deshacer la operación?" });
  await user.click(within(question).getByRole("button", { name: "Deshacer" }));
  expect(await details.findByText("No se deshizo nada.")).toBeVisible();
  expect(details.getByText("2 en conflicto")).toBeVisible();
  await user.click(details.getByRole("link", { name: "Operación 2" }));
  expect(address()).toBe("/operations?operation=2");
  const undo = within(await screen.findByRole("dialog", { name: "Deshace la operación 1" }));
  expect(await undo.findByText("No se deshizo nada.")).toBeVisible();
});

test("the details of an operation say what came of an undo that is on no page of the list that was loaded", async () => {
  const undo = operation(2, { undoOf: 1, action: null, counts: { ...counts, conflicts: 1, refused: 0 } });
  operations.push(operation(1, { undoneBy: 2 }), undo);
  const requests: string[] = [];
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page([]))),
    http.get("/api/operations/:id", ({ params }) => {
      requests.push(String(params.id));
      return HttpResponse.json(operations[Number(params.id) - 1]);
    }),
  );
  const { user, address } = renderPage("/operations?operation=1");
  const details = within(await screen.findByRole("dialog", { name: "Contenido infantil = Sí" }));
  expect(await details.findByText("Deshecho en parte.")).toBeVisible();
  expect(details.getByText("1 en conflicto")).toBeVisible();
  expect(requests.filter((id) => id === "2")).toHaveLength(1);
  await user.click(details.getByRole("link", { name: "Operación 2" }));
  expect(address()).toBe("/operations?operation=2");
});

test("operations and their rows show values by their names, and what is missing", async () => {
  operations.push(
    operation(1, { action: change({ type: "ADD", list: "genres", values: ["SCI_FI", "DRAMA"] }) }),
    operation(2, {
      action: change({ type: "SET", set: { categoryId: 2, linkQuality: "FHD" } }),
      counts: { ...counts, unchanged: 0, refused: 0, missing: 2 },
    }),
    operation(3, {
      resource: "users",
      action: change({ type: "SET", set: { status: "INACTIVE", registeredBy: null } }),
    }),
  );
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
  const list = within(await screen.findByRole("table", { name: "Operaciones masivas" }));
  expect(await list.findByText("Géneros + Ciencia ficción, Drama")).toBeVisible();
  expect(
    await list.findByText("Categoría = Clásicos, Calidad de los enlaces = Full HD (1080p)"),
  ).toBeVisible();
  expect(await list.findByText("Estado = Inactivo, Registrado por = Nadie")).toBeVisible();
  expect(list.getByText("2 ya no existen")).toBeVisible();
  await user.click(
    list.getByRole("link", { name: "Categoría = Clásicos, Calidad de los enlaces = Full HD (1080p)" }),
  );
  const details = within(await screen.findByRole("dialog"));
  expect(await details.findByText("Acción")).toBeVisible();
  expect(details.getByText("Clásicos")).toBeVisible();
  expect(details.getByText("Ciencia ficción")).toBeVisible();
  expect(details.getByRole("region", { name: "No existe (2)" })).toBeVisible();
});

test("items that were deleted meanwhile have their title from the trash, or say that they were deleted", async () => {
  const finishedDate = "2026-11-20T10:00:01.000Z";
  operations.push(
    operation(1, { finishedDate, counts: { ...counts, missing: 2 } }),
    operation(2, { resource: "users", counts: { ...counts, missing: 1 } }),
    operation(3, { action: change({ type: "RESTORE" }), counts: { ...counts, missing: 1 } }),
  );
  const missing: Record<string, OperationRow[]> = {
    1: [7, 8].map((itemId, position) => row("MISSING", { position, itemId, title: "" })),
    2: [row("MISSING", { itemId: "eva_1", title: "" })],
    3: [row("MISSING", { itemId: 9, title: "" })],
  };
  const requests: string[] = [];
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page(operations))),
    http.get("/api/operations/:id/rows", ({ request, params }) =>
      HttpResponse.json(
        new URL(request.url).searchParams.get("verdict") === "MISSING" ? missing[String(params.id)] : [],
      ),
    ),
    http.get("/api/trash", ({ request }) => {
      requests.push(new URL(request.url).search);
      const entry = { kind: "movies", deletedDate: finishedDate, deletedBy: "eva", parts: 0 };
      const content = [{ ...entry, itemId: 7, title: "Metrópolis", keptUntil: finishedDate }];
      return HttpResponse.json({ content, page: 0, size: 1000, totalPages: 1, totalElements: 1 });
    }),
  );
  backend.user = { ...backend.user, permissions: ["MOVIE_READ", "MOVIE_UPDATE", "MOVIE_DELETE"] } as never;
  const { user } = renderPage("/operations?operation=1");
  const region = async () => within(await screen.findByRole("region", { name: /^No existe/ }));
  const rows = await region();
  expect(await rows.findByText("Metrópolis")).toBeVisible();
  expect(rows.getByText("(eliminado) #8")).toBeVisible();
  expect(requests).toEqual([`?kind=movies&_size=1000&deletedDateTo=${encodeURIComponent(finishedDate)}`]);
  await user.keyboard("{Escape}");
  await user.click(await screen.findByRole("button", { name: "Ver detalle de la operación 2" }));
  expect(await (await region()).findByText("(eliminado) eva_1")).toBeVisible();
  await user.keyboard("{Escape}");
  // It was restored by another user before.
  await user.click(await screen.findByRole("button", { name: "Ver detalle de la operación 3" }));
  expect(await (await region()).findByText("#9")).toBeVisible();
});

test("operations have pages and filters, and an address leads to one that is on another page", async () => {
  backend.user = { ...backend.user, roleCode: "admin" } as never;
  const inADay = new Date(Date.now() + 86_400_000).toISOString();
  operations.push(operation(1, { undoUntil: inADay, createdBy: "eva" }));
  const requests: string[] = [];
  server.use(
    http.get("/api/operations", ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      requests.push(search);
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
  await waitFor(() => expect(requests.at(-1)).toBe("?_page=1&_size=25"));
  expect(await screen.findByText(/^Mostrando 26.*60/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Estado" }));
  await waitFor(() => expect(requests.at(-1)).toBe("?_page=0&_size=25&_sort=%2Bstate"));
  await user.click(screen.getByRole("button", { name: "Estado" }));
  await waitFor(() => expect(requests.at(-1)).toBe("?_page=0&_size=25&_sort=-state"));
  await user.click(screen.getByRole("button", { name: "Estado" }));
  await waitFor(() => expect(address()).toBe("/operations"));
  const addFilter = async (name: string) => {
    await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
    await user.click(await screen.findByRole("menuitem", { name }));
  };
  await addFilter("Iniciada por (usuario)");
  await user.type(await screen.findByRole("textbox", { name: "Iniciada por (usuario)" }), "eva{Enter}");
  await waitFor(() => expect(requests.at(-1)).toBe("?_page=0&_size=25&createdBy=eva"));
  await addFilter("Estado");
  await user.selectOptions(await screen.findByRole("combobox", { name: "Estado" }), "Cancelada");
  await waitFor(() => expect(requests.at(-1)).toContain("state=CANCELLED"));
  expect(address()).toBe("/operations?createdBy=eva&state=CANCELLED");
  await addFilter("Iniciada");
  const from = await screen.findByRole("textbox", { name: "Desde" });
  await user.type(from, "20/11/2026{Tab}");
  await waitFor(() => expect(requests.at(-1)).toContain("createdDateFrom=2026-11-20"));
});

test("what the list of operations shows is saved as a view, which the menu opens", async () => {
  operations.push(operation(1), operation(2, { state: "CANCELLED" }));
  const views: SavedView[] = [];
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page(operations))),
    http.get("/api/saved-views", () => HttpResponse.json(views)),
    http.post("/api/saved-views", async ({ request }) => {
      const sent = (await request.json()) as SavedView;
      views.push({ ...sent, id: 7, owner: "ana", isDefault: false });
      return HttpResponse.json(views[0], { status: 201 });
    }),
    http.put("/api/saved-views/7/default", () => {
      for (const view of views) view.isDefault = true;
      return new HttpResponse(null, { status: 204 });
    }),
  );
  const { user } = renderPage("/operations?state=CANCELLED");
  await user.click(await screen.findByRole("button", { name: "Vistas guardadas" }));
  const panel = within(await screen.findByRole("dialog", { name: "Vistas guardadas" }));
  await user.type(await panel.findByLabelText("Nombre de la vista"), "Detenidas");
  await user.click(panel.getByRole("button", { name: "Guardar la vista actual" }));
  await user.click(await panel.findByRole("button", { name: "Abrir la lista con «Detenidas»" }));
  expect(views[0]).toMatchObject({ list: "operations", query: "size=25&state=CANCELLED" });
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Contenidos" }));
  const entry = await screen.findByRole("menuitem", { name: "Operaciones masivas" });
  await waitFor(() => expect(entry).toHaveAttribute("href", "/operations?size=25&state=CANCELLED"));
});

test("an operation is opened by its name, and the focus returns there", async () => {
  operations.push(operation(1));
  server.use(http.get("/api/operations", () => HttpResponse.json(page(operations))));
  const { user, address } = renderPage("/operations?state=FINISHED");
  const link = await screen.findByRole("link", { name: "Contenido infantil = Sí" });
  link.focus();
  await user.keyboard("{Enter}");
  expect(await screen.findByRole("dialog", { name: "Contenido infantil = Sí" })).toBeVisible();
  expect(address()).toBe("/operations?state=FINISHED&operation=1");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(address()).toBe("/operations?state=FINISHED");
  await waitFor(() => expect(screen.getByRole("link", { name: "Contenido infantil = Sí" })).toHaveFocus());
});

test("the details show as many items as there are, and names lead to them", async () => {
  operations.push(
    operation(1, {
      resource: "movies",
      total: 101,
      done: 101,
      counts: { ...counts, changed: 101, refused: 0, unchanged: 0 },
    }),
  );
  const requests: string[] = [];
  server.use(
    http.get("/api/operations/1/rows", ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      requests.push(search);
      const first = 100 * Number(searchParams.get("_page"));
      const rows = Array.from({ length: first === 0 ? 100 : 1 }, (_, index) =>
        row("CHANGED", { position: first + index, itemId: first + index, title: `Film ${first + index}` }),
      );
      return HttpResponse.json(rows);
    }),
  );
  const { user } = renderPage("/operations?operation=1");
  const details = within(await screen.findByRole("dialog", { name: "Contenido infantil = Sí" }));
  expect(await details.findByText("Film 99")).toHaveAttribute("href", "/content/movies/99/edit");
  await user.click(details.getByText("Ver más"));
  expect(await details.findByText("Film 100")).toHaveAttribute("href", "/content/movies/100/edit");
  expect(details.queryByText("Ver más")).not.toBeInTheDocument();
  expect(requests).toEqual(["?verdict=CHANGED&_size=100", "?verdict=CHANGED&_size=100&_page=1"]);
});

test.each([
  ["users", "ana_1", "/users/ana_1"],
  ["issue-reports", 7, "/issues?tab=all&report=7"],
  ["tv-guides", 3, "/content/tv-guide/3/edit"],
  ["episodes", 3, undefined],
])("an item of %s is at its page", (resource, id, place) => {
  expect(placeOf(resource, id)).toBe(place);
});

test("an operation is polled while it runs, and not after a failure to load", () => {
  const { refetchInterval } = operationQueries.one(9);
  if (typeof refetchInterval !== "function") throw new Error("no function");
  const interval = (state: object) => refetchInterval({ state } as Parameters<typeof refetchInterval>[0]);
  expect(interval({ data: undefined, error: null })).toBeGreaterThan(0);
  expect(interval({ data: operation(9, { state: "RUNNING" }), error: null })).toBeGreaterThan(0);
  expect(interval({ data: operation(9), error: null })).toBe(false);
  expect(interval({ data: undefined, error: new Error() })).toBe(false);
});

test("lists that an undo changes are read again where the list of operations does not show it", async () => {
  operations.push(operation(1, { undoUntil: new Date(Date.now() + 3_600_000).toISOString() }));
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
  await user.click(await screen.findByRole("button", { name: "Deshacer la operación 1" }));
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

test("the address of a deleted operation reports that it does not exist", async () => {
  server.use(
    http.get("/api/operations", () => HttpResponse.json(page([]))),
    http.get("/api/operations/9", () => problem(404, { code: "NOT_FOUND", message: "No existe." })),
  );
  renderPage("/operations?operation=9");
  const dialog = within(await screen.findByRole("dialog", { name: "Operación 9" }));
  expect(await dialog.findByText("No existe.")).toBeVisible();
});
