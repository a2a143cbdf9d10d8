// Applies of a playlist run, and the server that answers for them.
import { HttpResponse, http } from "msw";
import type { Operation } from "../operations/queries";
import { backend } from "./backend";
import { changeCounts, moment, newEntry, page, run, source } from "./playlists";
import { server } from "./server";

/** The operations of applies and undos, and the operations that were undone. */
export const applies = { operations: new Map<number, Operation>(), undone: [] as number[] };

export function operation(id: number, resource: string, undoOf: number | null = null): Operation {
  return {
    id,
    resource,
    state: "FINISHED",
    total: 1,
    done: 1,
    counts: { changed: 1, unchanged: 0, refused: 0, conflicts: 0, missing: 0, created: 1 },
    action: null,
    import: null,
    dryRun: false,
    failure: null,
    createdBy: "ana",
    createdDate: moment,
    finishedDate: moment,
    undoOf,
    undoneBy: null,
    undoUntil: undoOf ? null : new Date(Date.now() + 3_600_000).toISOString(),
  };
}

/** Answers requests of a run with one new entry, whose apply begins operations 31 and 32. */
export function serveApplies(): void {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "Mi rol",
    permissions: ["PLAYLIST_READ", "PLAYLIST_UPDATE", "TVCHANNEL_READ", "TVCHANNEL_UPDATE"],
  };
  applies.undone = [];
  applies.operations = new Map([
    [31, operation(31, "tv-channels")],
    [32, operation(32, "radio-stations")],
  ]);
  server.use(
    http.get("/api/playlist-sources/1", () => HttpResponse.json(source)),
    http.get("/api/playlist-sources/1/runs", () => HttpResponse.json(page([run]))),
    http.get("/api/playlist-sources/1/groups", () => HttpResponse.json([])),
    http.get("/api/playlist-sources/1/runs/:run/counts", () => HttpResponse.json(changeCounts)),
    http.get("/api/playlist-sources/1/runs/5/changes", () => HttpResponse.json(page([newEntry]))),
    http.post("/api/playlist-sources/1/runs/5/apply", () =>
      HttpResponse.json(
        { operations: [applies.operations.get(31), applies.operations.get(32)] },
        { status: 202 },
      ),
    ),
    http.get("/api/operations/:id", ({ params }) =>
      HttpResponse.json(applies.operations.get(Number(params.id))),
    ),
    http.get("/api/operations/:id/rows", () => HttpResponse.json([])),
    http.post("/api/operations/:id/undo", ({ params }) => {
      const id = Number(params.id);
      applies.undone.push(id);
      const undo = operation(id + 10, applies.operations.get(id)?.resource ?? "", id);
      applies.operations.set(undo.id, undo);
      return HttpResponse.json(undo, { status: 202 });
    }),
  );
}
