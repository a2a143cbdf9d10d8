// Items of several kinds come out of the trash together: one operation for each kind, one after the other.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import type { Operation, OperationRequest } from "../../../operations/queries";
import { backend, problem } from "../../../testing/backend";
import { change, counts, operation as operationOf, row } from "../../../testing/operations";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { server } from "../../../testing/server";

const entry = (kind: string, itemId: number, title: string) => ({
  kind,
  itemId,
  title,
  deletedDate: "2026-11-20T10:00:00.000Z",
  deletedBy: "eva",
  keptUntil: "2026-12-20T10:00:00.000Z",
  parts: 0,
});

const entries = [
  entry("movies", 7, "Metrópolis"),
  entry("tv-channels", 7, "Canal Cinco"),
  entry("movies", 8, "Nosferatu"),
  entry("categories", 4, "Clásicos"),
];

const none = { ...counts, changed: 0, unchanged: 0, refused: 0 };

let operations: Operation[];
let sent: (OperationRequest & { dryRun: boolean })[];
/** The states of operations that have not ended. */
let states: Partial<Record<number, Operation["state"]>>;
/** What would become of the items of a kind, where it is not that all are restored. */
let previews: Partial<Record<string, Partial<Operation["counts"]>>>;

beforeEach(() => {
  operations = [];
  sent = [];
  states = {};
  previews = {};
  // Only kinds that the user may delete are counted.
  backend.user = {
    ...sampleCurrentUser,
    permissions: [...sampleCurrentUser.permissions, "TVCHANNEL_DELETE"],
  };
  server.use(
    http.get("/api/trash", ({ request }) => {
      const kind = new URL(request.url).searchParams.get("kind");
      const content = entries.filter((one) => !kind || one.kind === kind);
      return HttpResponse.json({ content, page: 0, size: 25, totalPages: 1, totalElements: content.length });
    }),
    http.post("/api/operations", async ({ request }) => {
      const body = (await request.json()) as (typeof sent)[number];
      sent.push(body);
      const total = body.ids?.length ?? entries.filter(({ kind }) => kind === body.resource).length;
      const preview = body.dryRun ? previews[body.resource] : undefined;
      const made = operationOf(operations.length + 1, {
        resource: body.resource,
        action: change({ type: "RESTORE" }),
        dryRun: body.dryRun,
        undoUntil: body.dryRun ? null : new Date(Date.now() + 86_400_000).toISOString(),
        total,
        done: total,
        counts: { ...none, changed: total, ...preview },
      });
      operations.push(made);
      return HttpResponse.json({ ...made, state: "WAITING", done: 0, counts: none }, { status: 202 });
    }),
    http.get("/api/operations/:id", ({ params }) => {
      const id = Number(params.id);
      const known = operations[id - 1];
      return HttpResponse.json({ ...known, state: states[id] ?? "FINISHED" });
    }),
    http.get("/api/operations/:id/rows", () =>
      HttpResponse.json([
        row("REFUSED", {
          itemId: 8,
          title: "Nosferatu",
          problems: [
            {
              field: "categoryId",
              column: null,
              code: "UNKNOWN_REFERENCE",
              message: "La categoría no existe",
            },
          ],
        }),
      ]),
    ),
  );
});

async function opened(titles: string[]) {
  const page = renderPage("/trash");
  for (const title of titles)
    await page.user.click(await screen.findByRole("checkbox", { name: `Seleccionar «${title}»` }));
  const bar = within(await screen.findByRole("region", { name: "Selección" }));
  return { ...page, bar };
}

const ofKind = (dialog: ReturnType<typeof within>, name: string) =>
  within(dialog.getByRole("region", { name }));

test("what is selected of several kinds is previewed, confirmed and restored together", async () => {
  previews.movies = { changed: 1, refused: 1 };
  const { user, bar } = await opened(["Metrópolis", "Canal Cinco", "Nosferatu", "Clásicos"]);
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 4 elementos" }));
  expect(await dialog.findByText("1 categoría, 1 canal, 2 películas")).toBeVisible();
  expect(dialog.getByText("3 se restaurarán")).toBeVisible();
  expect(await ofKind(dialog, "Películas").findByText(/La categoría no existe/)).toBeVisible();
  // Its category comes first.
  expect(dialog.getByText(/van primero\.$/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Restaurar 3" }));
  expect(await dialog.findByText("4 restaurados")).toBeVisible();
  expect(ofKind(dialog, "Canales de TV").getByRole("link", { name: "Operación 5" })).toHaveAttribute(
    "href",
    "/operations?operation=5",
  );
  const requests = [
    { resource: "categories", ids: [4] },
    { resource: "tv-channels", ids: [7] },
    { resource: "movies", ids: [7, 8] },
  ];
  const action = { type: "RESTORE" };
  expect(sent).toEqual([
    ...requests.map((request) => ({ ...request, action, dryRun: true })),
    ...requests.map(({ resource, ids }) => ({
      resource,
      ids,
      action,
      dryRun: false,
      expectedCount: ids.length,
    })),
  ]);
  await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
  await waitFor(() => expect(screen.queryByRole("region", { name: "Selección" })).toBeNull());
});

test("all that match are counted by kind, and each kind by the filter of the list", async () => {
  const { user, bar } = await opened(["Metrópolis"]);
  await user.click(bar.getByRole("button", { name: "Seleccionar los 4 que coinciden" }));
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 4 elementos" }));
  expect(await dialog.findByText("1 categoría, 1 canal, 2 películas")).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Restaurar 4" }));
  expect(await dialog.findByText("4 restaurados")).toBeVisible();
  const kinds = ["categories", "tv-channels", "movies"];
  expect(sent.map(({ resource, filter }) => [resource, filter])).toEqual(
    [...kinds, ...kinds].map((kind) => [kind, {}]),
  );
});

test("one kind among others is one operation", async () => {
  const { user, bar } = await opened(["Metrópolis", "Nosferatu"]);
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 2 elementos" }));
  await user.click(await dialog.findByRole("button", { name: "Restaurar 2" }));
  expect(await dialog.findByRole("button", { name: "Deshacer" })).toBeVisible();
  expect(sent.map(({ resource, ids }) => [resource, ids])).toEqual([
    ["movies", [7, 8]],
    ["movies", [7, 8]],
  ]);
});

test("a kind that is refused keeps no other from being restored", async () => {
  const { user, bar } = await opened(["Metrópolis", "Canal Cinco"]);
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 2 elementos" }));
  const run = await dialog.findByRole("button", { name: "Restaurar 2" });
  const message = "Ahora son 2 elementos.";
  server.use(
    http.post("/api/operations", () => problem(409, { code: "COUNT_CHANGED", message }), { once: true }),
  );
  await user.click(run);
  expect(await dialog.findByText(/^Terminado/)).toBeVisible();
  expect(ofKind(dialog, "Canales de TV").getByText(message)).toBeVisible();
  // What was not restored is still selected.
  await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.getByRole("checkbox", { name: "Seleccionar «Canal Cinco»" })).toBeChecked();
});

test("a kind that was all refused in the preview keeps its reasons in the result", async () => {
  previews.movies = { changed: 0, refused: 2 };
  const { user, bar } = await opened(["Canal Cinco", "Metrópolis", "Nosferatu"]);
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 3 elementos" }));
  await user.click(await dialog.findByRole("button", { name: "Restaurar 1" }));
  expect(await dialog.findByText(/^Terminado/)).toBeVisible();
  expect(await ofKind(dialog, "Películas").findByText(/La categoría no existe/)).toBeVisible();
  expect(dialog.queryByText("No se empezó")).toBeNull();
  expect(ofKind(dialog, "Películas").queryByRole("link", { name: /^Operación/ })).toBeNull();
  expect(sent.filter(({ dryRun }) => !dryRun)).toHaveLength(1);
});

test("a kind whose preview failed is left out of what is confirmed, which the result says", async () => {
  const { user, bar } = await opened(["Canal Cinco", "Metrópolis"]);
  server.use(
    http.post("/api/operations", () => problem(503, { code: "UNAVAILABLE", message: "No disponible." }), {
      once: true,
    }),
  );
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: /^Restaurar \d elemento/ }));
  await user.click(await dialog.findByRole("button", { name: "Restaurar 1" }));
  expect(await dialog.findByText(/^Terminado/)).toBeVisible();
  expect(dialog.getByText("No se incluyó, porque falló su vista previa: Canales de TV.")).toBeVisible();
  expect(sent).toMatchObject([
    { resource: "movies", dryRun: true },
    { resource: "movies", dryRun: false },
  ]);
});

test("what has no answer is sent again with the same key, and restored once", async () => {
  const { user, bar } = await opened(["Canal Cinco", "Metrópolis"]);
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 2 elementos" }));
  const run = await dialog.findByRole("button", { name: "Restaurar 2" });
  const keys: (string | null)[] = [];
  server.use(
    http.post("/api/operations", async ({ request }) => {
      const { resource } = (await request.clone().json()) as OperationRequest;
      if (resource !== "movies") return;
      keys.push(request.headers.get("idempotency-key"));
      return keys.length === 1 ? HttpResponse.error() : undefined;
    }),
  );
  await user.click(run);
  const retry = await dialog.findByRole("button", { name: "Reintentar" });
  // The button that was clicked went.
  await waitFor(() => expect(screen.getByRole("dialog")).toHaveFocus());
  // It may have been restored.
  expect(dialog.queryByText(/^Terminado/)).toBeNull();
  expect(dialog.getByText(/^No se sabe si se restauró: Películas\./)).toBeVisible();
  await user.click(retry);
  expect(dialog.getAllByRole("button", { name: /^(Detener|Cerrar)$/ }).at(-1)).toHaveFocus();
  expect(await dialog.findByText("2 restaurados")).toBeVisible();
  expect(dialog.queryByRole("alert")).toBeNull();
  expect(keys[0]).toBeTruthy();
  expect(keys[1]).toBe(keys[0]);
});

describe("a kind whose preview failed is neither restored nor tried again", () => {
  test.each([
    ["its request", "post", "/api/operations"],
    ["its state", "get", "/api/operations/2"],
  ] as const)("%s", async (_, method, path) => {
    const { user, bar } = await opened(["Canal Cinco", "Metrópolis"]);
    const unavailable = () => problem(503, { code: "UNAVAILABLE", message: "" });
    server.use(
      http[method](path, async ({ request }) => {
        if (method === "get") return unavailable();
        const { resource } = (await request.clone().json()) as OperationRequest;
        return resource === "movies" ? unavailable() : undefined;
      }),
    );
    await user.click(bar.getByRole("button", { name: "Restaurar…" }));
    const dialog = within(await screen.findByRole("dialog", { name: /^Restaurar \d elementos?$/ }));
    await user.click(await dialog.findByRole("button", { name: "Restaurar 1" }));
    expect(await dialog.findByText(/^Terminado/)).toBeVisible();
    expect(ofKind(dialog, "Películas").getByRole("alert")).toBeVisible();
    expect(dialog.queryByRole("button", { name: "Reintentar" })).toBeNull();
    expect(sent.filter(({ dryRun }) => !dryRun).map(({ resource }) => resource)).toEqual(["tv-channels"]);
  });
});

test("an operation whose state could not be read is followed until it ends", async () => {
  const { user, bar } = await opened(["Canal Cinco", "Metrópolis"]);
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 2 elementos" }));
  const run = await dialog.findByRole("button", { name: "Restaurar 2" });
  let isLost = true;
  server.use(
    http.get("/api/operations/4", () =>
      isLost ? problem(503, { code: "UNAVAILABLE", message: "" }) : undefined,
    ),
  );
  await user.click(run);
  const alert = await dialog.findByRole("alert");
  const movies = ofKind(dialog, "Películas");
  expect(movies.getByRole("alert")).toBe(alert);
  // Nothing is said of all of them: it may still restore something.
  expect(dialog.queryByText("No se restauró nada.")).toBeNull();
  expect(dialog.queryByText(/^Terminado/)).toBeNull();
  isLost = false;
  expect(await movies.findByText("1 restaurado")).toBeVisible();
  expect(movies.queryByRole("alert")).toBeNull();
});

test("stopped during one kind, the next is not begun", async () => {
  const { user, bar } = await opened(["Canal Cinco", "Metrópolis"]);
  const stopped: string[] = [];
  server.use(
    http.post("/api/operations/:id/cancel", ({ params }) => {
      stopped.push(String(params.id));
      states[3] = "CANCELLED";
      return HttpResponse.json({ ...operations[2], state: "CANCELLED" });
    }),
  );
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 2 elementos" }));
  states[3] = "RUNNING";
  await user.click(await dialog.findByRole("button", { name: "Restaurar 2" }));
  await dialog.findByText(/^Restaurando… Canales de TV/);
  // The kinds that are left would not be restored.
  await user.keyboard("{Escape}");
  const question = within(await screen.findByRole("dialog", { name: "¿Salir antes de restaurar todo?" }));
  await user.click(question.getByRole("button", { name: "Seguir" }));
  await user.click(dialog.getByRole("button", { name: "Detener" }));
  expect(await dialog.findByText("No se empezó")).toBeVisible();
  expect(dialog.getByText(/^Detenido/)).toBeVisible();
  expect(dialog.queryByText(/^Terminado/)).toBeNull();
  expect(stopped).toEqual(["3"]);
  expect(sent.filter(({ dryRun }) => !dryRun)).toHaveLength(1);
  // What was restored is selected no longer.
  await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
  expect(await bar.findByText("1 seleccionado")).toBeVisible();
});

test("what a cancelled operation did not reach stays selected", async () => {
  const { user, bar } = await opened(["Canal Cinco", "Metrópolis"]);
  server.use(
    http.get("/api/operations/3", () =>
      HttpResponse.json({ ...operations[2], state: "CANCELLED", done: 0, counts: none }),
    ),
  );
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 2 elementos" }));
  await user.click(await dialog.findByRole("button", { name: "Restaurar 2" }));
  expect(await dialog.findByText(/^Detenido/)).toBeVisible();
  await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
  // The films were restored.
  expect(await bar.findByText("1 seleccionado")).toBeVisible();
  expect(screen.getByRole("checkbox", { name: "Seleccionar «Canal Cinco»" })).toBeChecked();
});

test("stopped while the next kind is being begun, that one is cancelled, and only it", async () => {
  const { user, bar } = await opened(["Canal Cinco", "Metrópolis"]);
  const stopped: string[] = [];
  server.use(
    http.post("/api/operations/:id/cancel", ({ params }) => {
      stopped.push(String(params.id));
      if (params.id !== "4")
        return problem(409, { code: "OPERATION_REFUSED", message: "La operación ya terminó." });
      states[4] = "CANCELLED";
      return HttpResponse.json({ ...operations[3], state: "CANCELLED" });
    }),
  );
  await user.click(bar.getByRole("button", { name: "Restaurar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restaurar 2 elementos" }));
  const run = await dialog.findByRole("button", { name: "Restaurar 2" });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isAsked = false;
  server.use(
    http.post("/api/operations", async ({ request }) => {
      const { resource } = (await request.clone().json()) as OperationRequest;
      if (resource !== "movies") return;
      isAsked = true;
      states[4] = "RUNNING";
      await held;
    }),
  );
  await user.click(run);
  await waitFor(() => expect(isAsked).toBe(true));
  await user.click(dialog.getByRole("button", { name: "Detener" }));
  release();
  await dialog.findAllByRole("link", { name: /^Operación/ });
  expect(stopped).toEqual(["4"]);
  expect(dialog.queryByRole("alert")).toBeNull();
});
