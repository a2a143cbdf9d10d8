// What undoing an operation does, for the question before it.
import type { Operation } from "../../operations/queries";

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
 * at the beginning. Where that one is too old for the list, it may have deleted something.
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
  if (first.action?.type === "DELETE")
    return isUndone ? { text: "deleteAgainWhy", isSafe: false } : { text: "restoreWhy", isSafe: true };
  return { text: "undoWhy", isSafe: true };
}
