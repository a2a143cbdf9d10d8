// Bulk operations of the mock server.
import { HttpResponse, http } from "msw";
import type { Operation, OperationRequest, OperationRow } from "../operations/queries";
import { server } from "./server";

export const counts = { changed: 2, unchanged: 1, refused: 1, conflicts: 0, missing: 0, created: 0 };

type Change = NonNullable<Operation["action"]>;

export const change = (of: Pick<Change, "type"> & Partial<Change>): Change => ({
  fields: null,
  find: null,
  list: null,
  numbers: null,
  replaceWith: null,
  replacement: null,
  set: null,
  values: null,
  ...of,
});

export function operation(id: number, more: Partial<Operation> = {}): Operation {
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

export const row = (verdict: OperationRow["verdict"], more: Partial<OperationRow> = {}): OperationRow => ({
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

export const page = (content: Operation[], more: object = {}) => ({
  content,
  page: 0,
  size: 25,
  totalPages: 1,
  totalElements: content.length,
  ...more,
});

type Sent = OperationRequest & { dryRun: boolean };

/** Serves operations: those that are there, which each request adds one to, and what was sent to begin them. */
export function serveOperations(): { operations: Operation[]; sent: Sent[] } {
  const operations: Operation[] = [];
  const sent: Sent[] = [];
  server.use(
    http.post("/api/operations", async ({ request }) => {
      const body = (await request.json()) as Sent;
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
  return { operations, sent };
}
