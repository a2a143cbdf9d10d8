// What was deleted comes back: by the notice, from the trash with another category, and from the history of an item.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { describe, expect, test } from "vitest";
import { backend, problem } from "../../../testing/backend";
import { historyEntry as entry } from "../../../testing/history";
import { serveKinds } from "../../../testing/kindCases";
import { change } from "../../../testing/operations";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { server } from "../../../testing/server";

const page = (content: unknown[]) => ({
  content,
  page: 0,
  size: 25,
  totalPages: 1,
  totalElements: content.length,
});

const deletedFilm = {
  kind: "movies",
  itemId: 7,
  title: "Metrópolis",
  deletedDate: "2026-11-20T10:00:00.000Z",
  deletedBy: "eva",
  keptUntil: "2026-12-20T10:00:00.000Z",
  parts: 0,
};

test("a deletion is undone from its toast", async () => {
  const restored: string[] = [];
  server.use(
    http.post("/api/movies/:id/restore", ({ params }) => {
      restored.push(String(params.id));
      return HttpResponse.json({ id: Number(params.id), version: 9 });
    }),
  );
  const { user } = renderPage("/content/movies");
  const [button] = await screen.findAllByRole("button", { name: /^Eliminar / });
  await user.click(button as HTMLElement);
  const dialog = await screen.findByRole("dialog");
  expect(within(dialog).getByText(/Se puede restaurar durante 30 días/)).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Eliminar" }));
  await user.click(await screen.findByRole("button", { name: "Deshacer" }));
  expect(await screen.findByText(/^Se restauró «/)).toBeVisible();
  expect(restored).toHaveLength(1);
});

test("undoing a deletion needs a decision if another item has the natural key, and restores it afterwards", async () => {
  const sent: string[] = [];
  server.use(
    http.post("/api/movies/:id/restore", ({ request, params }) => {
      sent.push(new URL(request.url).search);
      if (sent.length > 1) return HttpResponse.json({ id: Number(params.id), version: 9 });
      const message = "Ya hay otro igual en el catálogo: «Otra» (ID 99)";
      return problem(409, { code: "CONFLICT", message, arguments: { id: 99, title: "Otra" } });
    }),
  );
  const { user } = renderPage("/content/movies");
  const [button] = await screen.findAllByRole("button", { name: /^Eliminar / });
  await user.click(button as HTMLElement);
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
  await user.click(await screen.findByRole("button", { name: "Deshacer" }));
  const dialog = within(await screen.findByRole("dialog", { name: /^Restaurar / }));
  expect(dialog.getByText("Ya hay otro igual en el catálogo: «Otra» (ID 99)")).toBeVisible();
  expect(sent).toEqual(["?duplicate=false"]);
  await user.click(dialog.getByRole("button", { name: "Restaurar de todos modos" }));
  expect(await screen.findByText(/^Se restauró «/)).toBeVisible();
  expect(sent).toEqual(["?duplicate=false", "?duplicate=true"]);
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
});

test("an item whose category is deleted needs another, and is restored with it", async () => {
  const sent: unknown[] = [];
  server.use(
    http.get("/api/trash", () => HttpResponse.json(page([deletedFilm]))),
    http.post("/api/movies/7/restore", async ({ request }) => {
      const body = (await request.json()) as object;
      sent.push(body);
      if ("categoryId" in body) return HttpResponse.json({ id: 7, version: 2 });
      const errors = [
        { field: "categoryId", code: "UNKNOWN_REFERENCE", message: "La categoría no existe", arguments: {} },
      ];
      return problem(422, { code: "VALIDATION_FAILED", message: "No es válido.", errors });
    }),
  );
  const { user } = renderPage("/trash");
  await user.click(await screen.findByRole("button", { name: "Restaurar Metrópolis" }));
  const dialog = await screen.findByRole("dialog");
  expect(within(dialog).getByText("Categoría: La categoría no existe")).toBeVisible();
  const restore = within(dialog).getByRole("button", { name: "Restaurar" });
  expect(restore).toBeDisabled();
  await user.click(within(dialog).getByRole("combobox", { name: "Categoría" }));
  await user.click(await screen.findByRole("option", { name: "Acción" }));
  await waitFor(() => expect(restore).toBeEnabled());
  await user.click(restore);
  expect(await screen.findByText("Se restauró «Metrópolis»")).toBeVisible();
  expect(sent).toEqual([{}, { categoryId: expect.any(Number) }]);
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
});

describe("a channel", () => {
  const sent: Record<string, unknown>[] = [];
  const refusedFor = (field: string, more: object) => {
    sent.length = 0;
    server.use(
      http.get("/api/trash", () => HttpResponse.json(page([{ ...deletedFilm, kind: "tv-channels" }]))),
      http.get("/api/categories", () =>
        HttpResponse.json(
          page(
            ["Noticias", "Deportes", "Cine"].map((description, index) => ({
              id: index + 2,
              version: 1,
              description,
              englishDescription: description,
              type: "TV_CHANNEL",
              active: true,
            })),
          ),
        ),
      ),
      http.post("/api/tv-channels/7/restore", async ({ request }) => {
        const body = (await request.json()) as Record<string, unknown>;
        sent.push(body);
        if (field in body) return HttpResponse.json({ id: 7, version: 2 });
        const errors = [{ field, code: "UNKNOWN_REFERENCE", message: "No existe", arguments: more }];
        return problem(422, { code: "VALIDATION_FAILED", message: "No es válido.", errors });
      }),
    );
  };
  const restore = async () => {
    const { user } = renderPage("/trash");
    await user.click(await screen.findByRole("button", { name: "Restaurar Metrópolis" }));
    const dialog = within(await screen.findByRole("dialog"));
    return { user, dialog, button: dialog.getByRole("button", { name: "Restaurar" }) };
  };

  test("one of whose categories is gone keeps the others", async () => {
    refusedFor("categories", { id: 1, values: [1, 2, 3] });
    const { user, dialog, button } = await restore();
    expect((await dialog.findAllByText("Noticias"))[0]).toBeVisible();
    expect(button).toBeEnabled();
    await user.click(dialog.getByRole("combobox", { name: "Categorías" }));
    await user.click(await screen.findByRole("option", { name: "Cine" }));
    await user.click(button);
    expect(await screen.findByText("Se restauró «Metrópolis»")).toBeVisible();
    expect(sent).toEqual([{}, { categories: [2, 3, 4] }]);
  });

  test("whose guide is gone is restored without one", async () => {
    refusedFor("tvGuideId", { id: 1 });
    const { user, dialog, button } = await restore();
    expect(button).toBeDisabled();
    await user.click(dialog.getByRole("combobox", { name: /guía/i }));
    await user.click(await screen.findByRole("option", { name: "Sin guía" }));
    await user.click(button);
    expect(await screen.findByText("Se restauró «Metrópolis»")).toBeVisible();
    expect(sent).toEqual([{}, { tvGuideId: null }]);
  });
});

test("an item whose key another item has is restored after a confirmation", async () => {
  const sent: string[] = [];
  server.use(
    http.get("/api/trash", () => HttpResponse.json(page([deletedFilm]))),
    http.post("/api/movies/7/restore", ({ request }) => {
      sent.push(new URL(request.url).search);
      if (sent.length > 1) return HttpResponse.json({ id: 7, version: 2 });
      const message = "Ya hay otro igual en el catálogo: «Metrópolis» (ID 9)";
      return problem(409, { code: "CONFLICT", message, arguments: { id: 9, title: "Metrópolis" } });
    }),
  );
  const { user } = renderPage("/trash");
  await user.click(await screen.findByRole("button", { name: "Restaurar Metrópolis" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText("Ya hay otro igual en el catálogo: «Metrópolis» (ID 9)")).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Restaurar de todos modos" }));
  expect(await screen.findByText("Se restauró «Metrópolis»")).toBeVisible();
  expect(sent).toEqual(["?duplicate=false", "?duplicate=true"]);
});

test("what is selected of one kind is restored together after a preview that says what is refused", async () => {
  const sent: Record<string, unknown>[] = [];
  const counts = { changed: 1, unchanged: 0, refused: 1, conflicts: 0, missing: 0, created: 0 };
  const operation = (id: number, dryRun: boolean) => ({
    id,
    resource: "movies",
    action: change({ type: "RESTORE" }),
    import: null,
    undoOf: null,
    undoneBy: null,
    undoUntil: null,
    dryRun,
    state: "FINISHED",
    failure: null,
    createdBy: "ana",
    createdDate: "2026-11-20T10:00:00.000Z",
    finishedDate: "2026-11-20T10:00:01.000Z",
    total: 2,
    done: 2,
    counts,
  });
  const message = "Ya hay otro igual en el catálogo: «Nosferatu» (ID 9)";
  server.use(
    http.get("/api/trash", () =>
      HttpResponse.json(page([deletedFilm, { ...deletedFilm, itemId: 8, title: "Nosferatu" }])),
    ),
    http.post("/api/operations", async ({ request }) => {
      sent.push((await request.json()) as Record<string, unknown>);
      return HttpResponse.json(operation(sent.length, sent.at(-1)?.dryRun === true), { status: 202 });
    }),
    http.get("/api/operations/:id", ({ params }) =>
      HttpResponse.json(operation(Number(params.id), params.id === "1")),
    ),
    http.get("/api/operations/:id/rows", ({ request }) => {
      const verdict = new URL(request.url).searchParams.get("verdict");
      const row = { position: 0, before: {}, after: {}, sheetRow: null, verdict };
      return HttpResponse.json(
        verdict === "REFUSED"
          ? [
              {
                ...row,
                itemId: 8,
                title: "Nosferatu",
                problems: [{ field: "", column: null, code: "DUPLICATE", message }],
              },
            ]
          : [{ ...row, itemId: 7, title: "Metrópolis", problems: [] }],
      );
    }),
  );
  const { user } = renderPage("/trash?kind=movies");
  await user.click(await screen.findByRole("checkbox", { name: "Seleccionar esta página" }));
  const bar = within(await screen.findByRole("region", { name: "Selección" }));
  expect(bar.queryByRole("button", { name: "Cambiar…" })).not.toBeInTheDocument();
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 2 elementos" }));
  expect(await dialog.findByText(message)).toBeVisible();
  expect(dialog.getByText(/^Lo rechazado se queda en la papelera/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Restaurar 1" }));
  expect(await dialog.findByText("1 restaurado")).toBeVisible();
  const request = { resource: "movies", ids: [7, 8], action: { type: "RESTORE" } };
  expect(sent).toEqual([
    { ...request, dryRun: true },
    { ...request, dryRun: false, expectedCount: 2 },
  ]);
});

test("the trash is narrowed to the days of deletion in the address", async () => {
  const searches: string[] = [];
  server.use(
    http.get("/api/trash", ({ request }) => {
      searches.push(new URL(request.url).search);
      return HttpResponse.json(page([deletedFilm]));
    }),
  );
  renderPage("/trash?deletedDateFrom=2026-11-19&deletedDateTo=2026-11-20");
  await screen.findByRole("button", { name: "Restaurar Metrópolis" });
  expect(searches[0]).toContain("deletedDateFrom=2026-11-19&deletedDateTo=2026-11-20");
});

test("items of two kinds with the same id are restored at once, each with its own answer", async () => {
  const sent: string[] = [];
  const answers = new Map<string, () => void>();
  const restored = (kind: string) =>
    http.post(`/api/${kind}/7/restore`, async ({ request }) => {
      sent.push(new URL(request.url).pathname);
      await new Promise<void>((resolve) => answers.set(kind, resolve));
      return problem(409, {
        code: "CONFLICT",
        message: `Hay otro igual entre ${kind}`,
        arguments: { id: 9 },
      });
    });
  const category = { ...deletedFilm, kind: "categories", title: "Clásicos" };
  server.use(
    http.get("/api/trash", () => HttpResponse.json(page([deletedFilm, category]))),
    restored("movies"),
    restored("categories"),
  );
  const { user } = renderPage("/trash");
  await user.click(await screen.findByRole("button", { name: "Restaurar Metrópolis" }));
  await user.click(screen.getByRole("button", { name: "Restaurar Clásicos" }));
  await user.click(screen.getByRole("button", { name: "Restaurar Metrópolis" }));
  await waitFor(() => expect(sent).toEqual(["/api/movies/7/restore", "/api/categories/7/restore"]));
  for (const [name, kind] of [
    ["Metrópolis", "movies"],
    ["Clásicos", "categories"],
  ] as const) {
    answers.get(kind)?.();
    const dialog = within(await screen.findByRole("dialog", { name: `Restaurar ${name}` }));
    expect(dialog.getByText(`Hay otro igual entre ${kind}`)).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  }
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
});

test("an earlier version is loaded into the form, and is not saved automatically", async () => {
  const film = backend.tables.movies?.[0];
  if (!film) throw new Error("The samples have films.");
  film.version = 3;
  server.use(
    http.get(`/api/movies/${film.id}/history`, () =>
      HttpResponse.json(
        page([
          entry({ id: 2, version: 3, before: { year: 1927 }, after: { year: 1999 } }),
          entry({ id: 1, version: 2, actor: null, source: "IMPORT", address: null, after: { active: true } }),
        ]),
      ),
    ),
    http.get(`/api/movies/${film.id}/history/2`, () =>
      HttpResponse.json({ version: 2, content: { ...film, title: "El título de antes", year: 1927 } }),
    ),
  );
  const { user } = renderPage(`/content/movies/${film.id}/edit`);
  await user.click(await screen.findByRole("button", { name: "Historial" }));
  const dialog = await screen.findByRole("dialog");
  expect(await within(dialog).findByText("1999")).toBeVisible();
  expect(within(dialog).getByText("Importación")).toBeVisible();
  expect(within(dialog).getByText("192.0.2.1", { exact: false })).toBeVisible();
  await user.click(
    within(dialog).getAllByRole("button", { name: "Restaurar esta versión" })[0] as HTMLElement,
  );
  expect(await screen.findByDisplayValue("El título de antes")).toBeVisible();
  expect(screen.getByText(/El formulario tiene los valores de la versión 2/)).toBeVisible();
  expect(backend.requests.filter((request) => request.startsWith("PUT"))).toEqual([]);
});

test("the first version is shown with its values, and each change with where it came from", async () => {
  const film = backend.tables.movies?.[0];
  if (!film) throw new Error("The samples have films.");
  film.version = 2;
  backend.user = { ...sampleCurrentUser, username: "eva", roleCode: "contentManager" };
  server.use(
    http.get(`/api/movies/${film.id}/history`, () =>
      HttpResponse.json(
        page([
          entry({
            id: 3,
            version: 4,
            actor: "ana",
            source: "BULK_OPERATION",
            operationId: 32,
            address: null,
          }),
          entry({
            id: 2,
            version: 3,
            actor: "eva",
            source: "BULK_OPERATION",
            operationId: 31,
            address: null,
          }),
          entry({ id: 1, version: 2, actor: "eva", source: "REQUEST", address: null, after: { year: 1999 } }),
          entry({ id: 0, version: 1, action: "CREATED", actor: null, source: "REQUEST", address: null }),
        ]),
      ),
    ),
    http.get(`/api/movies/${film.id}/history/1`, () =>
      HttpResponse.json({
        version: 1,
        content: { title: "Metropolis, 1927", genres: ["SCI_FI"], director: "" },
      }),
    ),
  );
  const { user } = renderPage(`/content/movies/${film.id}/edit`);
  await user.click(await screen.findByRole("button", { name: "Historial" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText("Metropolis, 1927")).toBeVisible();
  expect(dialog.getByText("Ciencia ficción")).toBeVisible();
  expect(dialog.queryByText("Director")).not.toBeInTheDocument();
  const [others, own, edit, first] = dialog.getAllByRole("listitem");
  expect(first).toHaveTextContent("Panel o API");
  expect(edit).toHaveTextContent("eva · Panel o API");
  expect(within(own as HTMLElement).getByRole("link")).toHaveAttribute("href", "/operations?operation=31");
  // The operations of other users are not shown to those who are no admins.
  expect(others).toHaveTextContent("ana · operación masiva 32");
  expect(within(others as HTMLElement).queryByRole("link")).not.toBeInTheDocument();
});

test("a change of the streams of a channel leads to where they are restored", async () => {
  serveKinds();
  server.use(
    http.get("/api/tv-channels/1/history", () =>
      HttpResponse.json(
        page([
          entry({ id: 2, version: 3, after: { streams: ["https://a.example/***"] } }),
          entry({ id: 1, version: 2, after: { active: true } }),
        ]),
      ),
    ),
  );
  const { user } = renderPage("/content/tv-channels/1/edit");
  await user.click(await screen.findByRole("button", { name: "Historial" }));
  const dialog = within(await screen.findByRole("dialog"));
  const link = await dialog.findByRole("link", { name: "se restauran en «Señales»" });
  expect(link).toHaveAttribute("href", "/content/tv-channels/1/streams");
});

describe.each([
  {
    kind: "seasons",
    title: "3",
    name: "Temporada 3",
    field: "seasonNumber",
    label: "Número",
    error: "La serie ya tiene esa temporada",
  },
  {
    kind: "episodes",
    title: "Metrópolis",
    name: "Metrópolis",
    field: "episodeNumber",
    label: "Episodio",
    error: "Esa temporada ya tiene ese número",
  },
])("one of the $kind whose number is in use", ({ kind, title, name, field, label, error }) => {
  test("needs another number, by keyboard, until one is free", async () => {
    const sent: Record<string, unknown>[] = [];
    server.use(
      http.get("/api/trash", () => HttpResponse.json(page([{ ...deletedFilm, kind, title }]))),
      http.post(`/api/${kind}/7/restore`, async ({ request }) => {
        const body = (await request.json()) as Record<string, unknown>;
        sent.push(body);
        if (body[field] === 12) return HttpResponse.json({ id: 7, version: 2 });
        return problem(409, { code: "CONFLICT", message: error, arguments: { id: 9, title: "Otra" } });
      }),
    );
    const { user } = renderPage("/trash");
    (await screen.findByRole("button", { name: `Restaurar ${name}` })).focus();
    await user.keyboard("{Enter}");
    const dialog = within(await screen.findByRole("dialog", { name: `Restaurar ${name}` }));
    expect(dialog.getByText(error)).toBeVisible();
    // It asks, and proposes nothing.
    const input = dialog.getByRole("textbox", { name: label });
    expect(input).toHaveValue("");
    expect(dialog.getByRole("button", { name: "Restaurar" })).toBeDisabled();
    await waitFor(() => expect(input).toHaveFocus());
    await user.keyboard("0{Enter}");
    expect(input).toBeInvalid();
    expect(sent).toHaveLength(1);
    await user.keyboard("{Backspace}11{Enter}");
    await waitFor(() => expect(sent).toHaveLength(2));
    await waitFor(() => expect(dialog.getByRole("button", { name: "Restaurar" })).toBeEnabled());
    await user.clear(input);
    await user.keyboard("12{Enter}");
    expect(await screen.findByText(`Se restauró «${name}»`)).toBeVisible();
    expect(sent).toEqual([{}, { [field]: 11 }, { [field]: 12 }]);
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });
});
