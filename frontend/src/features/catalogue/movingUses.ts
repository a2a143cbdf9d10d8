// Moves all references to a category or a guide to another one, deletes it, and undoes both together.
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { t } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { shownBeside } from "../../operations/changedLists";
import { type Operation, undoAndWait, whenEnded } from "../../operations/queries";
import { toast } from "../../ui/toast";
import { contentKeys, forgetLists } from "./queries";
import type { Shared } from "./uses";

interface Move {
  kind: Shared;
  id: number;
  version: number;
  name: string;
  to: number;
  toName: string;
}

interface Outcome {
  operations: Operation[];
  /** Playlist sources that refer to the other category now. */
  sources: number;
  /** Live TV profiles that refer to the other category now. */
  profiles: number;
  /** Items that were not moved; with any, nothing is deleted. */
  left: number;
}

const changedBy = (operations: readonly Operation[]) =>
  operations.reduce((sum, { counts }) => sum + counts.changed, 0);

/** Items that still refer to it: refused, in conflict, or not reached. */
const leftBy = (operations: readonly Operation[]) =>
  operations.reduce(
    (sum, { total, counts }) => sum + total - counts.changed - counts.unchanged - counts.missing,
    0,
  );

/** `onBegun` gets the operations, to show how far they are. */
export function useMoveAndDelete(onBegun: (ids: number[]) => void, onDeleted: (id: number) => void) {
  const client = useQueryClient();
  const once = useIdempotencyKey();
  return useMutation<Outcome, Problem, Move>({
    mutationFn: async ({ kind, id, version, to }) => {
      const begun = await call("post", `/${kind}/${id}/move`, {
        body: { to },
        idempotencyKey: once.keyFor({ kind, id, to }),
      });
      // Sent again after this answer, it moves what was left.
      once.forget();
      const ids = begun.operations.map((operation) => operation.id);
      onBegun(ids);
      const operations = await Promise.all(ids.map((one) => whenEnded(client, one)));
      const left = leftBy(operations);
      if (left === 0) await call("delete", `/${kind}/${id}`, { ifVersion: version });
      return { operations, sources: begun.sources, profiles: begun.profiles, left };
    },
    onSuccess: (outcome, move) => {
      if (outcome.left > 0) return;
      const { kind, id, name, toName } = move;
      const count = changedBy(outcome.operations) + outcome.sources + outcome.profiles;
      toast.success(t("contents.inUse.moved", { count, number: formatNumber(count), name: toName }));
      toast.success(t("contents.deleted", { name }), undefined, {
        label: t("common.undo"),
        onClick: () => void undo(client, move, outcome),
      });
      client.removeQueries({ queryKey: contentKeys.one(kind, id) });
      onDeleted(id);
    },
    // Also after a failure: some of it may have moved.
    onSettled: (_outcome, _problem, { kind }) => forget(client, kind),
  });
}

/** Of every kind, lists and items alike. */
const forget = async (client: QueryClient, kind: Shared) => {
  const keys = [["contents"], ...shownBeside(kind)];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  await forgetLists(client, kind);
};

/**
 * Restores the category or the guide from the trash and moves back all content that was not changed since. Playlist sources
 * and profiles stay, and the notice says so.
 */
async function undo(client: QueryClient, move: Move, outcome: Outcome): Promise<void> {
  const { operations, sources, profiles } = outcome;
  const { kind, id, name, toName } = move;
  const { restoreDeleted } = await import("./trash/restoreDeleted");
  // After a conflict the trash has the dialog to resolve it, and the operations can be undone afterwards.
  if (!(await restoreDeleted(kind, id, name, () => forget(client, kind)))) return;
  try {
    const ended = await Promise.all(operations.map((one) => undoAndWait(client, one.id)));
    const left = leftBy(ended);
    const count = changedBy(ended);
    if (left > 0)
      toast.failure(
        t("contents.inUse.notMovedBack", { name }),
        t("contents.inUse.stayed", { count: left, number: formatNumber(left) }),
      );
    else if (count > 0)
      toast.success(t("contents.inUse.moved", { count, number: formatNumber(count), name }));
    if (sources + profiles > 0)
      toast.warning(t("contents.inUse.sourcesStay", { name: toName }), t("contents.inUse.sources"));
  } catch (problem) {
    toast.failure(t("contents.inUse.notMovedBack", { name }), messageOf(problem as Problem));
  } finally {
    await forget(client, kind);
  }
}
