// What undoing an operation does, for the question before it.
import type { QueryClient } from "@tanstack/react-query";
import { type Operation, operationQueries } from "../../operations/queries";

/** The text of the question, and whether nothing is deleted. */
interface Undoing {
  text:
    | "undoWhy"
    | "restoreWhy"
    | "deleteAgainWhy"
    | "undoImportWhy"
    | "importAgainWhy"
    | "undoUserImportWhy"
    | "importUsersAgainWhy"
    | "unknownWhy";
  isSafe: boolean;
}

type Known = Pick<Operation, "id" | "undoOf" | "action" | "import" | "resource">;

/**
 * An undo says itself only which operation it undoes: what it did, and what undoing it does, follows from the operation
 * at the beginning. Where that one is not among the operations, it may have deleted something.
 */
export function undoingOf(operation: Known, operations: readonly Known[]): Undoing {
  let first: Known = operation;
  let isUndone = false;
  for (let step = operations.length; first.undoOf !== null && step > 0; step -= 1) {
    const { undoOf } = first;
    const undone = operations.find(({ id }) => id === undoOf);
    if (!undone) return { text: "unknownWhy", isSafe: false };
    first = undone;
    isUndone = !isUndone;
  }
  if (first.import) {
    if (first.resource === "users")
      return { text: isUndone ? "importUsersAgainWhy" : "undoUserImportWhy", isSafe: true };
    return { text: isUndone ? "importAgainWhy" : "undoImportWhy", isSafe: isUndone };
  }
  const type = first.action?.type;
  if (type === "DELETE" || type === "RESTORE")
    return (type === "RESTORE") !== isUndone
      ? { text: "deleteAgainWhy", isSafe: false }
      : { text: "restoreWhy", isSafe: true };
  return { text: "undoWhy", isSafe: true };
}

/** An operation with those that it undoes: the one that it undoes itself, the one that this one undoes, and so on. */
export async function withUndone(client: QueryClient, operation: Operation): Promise<Operation[]> {
  const all = [operation];
  for (let { undoOf } = operation; undoOf !== null; ) {
    // It may be deleted by now, or belong to another user.
    const undone = await client.fetchQuery(operationQueries.one(undoOf)).catch(() => undefined);
    if (!undone) break;
    all.push(undone);
    undoOf = undone.undoOf;
  }
  return all;
}
