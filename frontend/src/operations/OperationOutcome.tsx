// What came of an operation that has ended, in words.
import { Text } from "@mantine/core";
import { textAt } from "../i18n";
import type { Operation } from "./queries";
import { usePartial } from "./usePartial";

export function OperationOutcome({ of: operation }: { of: Operation }) {
  const { rows, isPending } = usePartial(operation);
  return (
    <Text fw={600} role="status">
      {!isPending && textAt(`operations.ended.${outcomeOf(operation, rows.length > 0)}`)}
    </Text>
  );
}

/** Of some items everything was undone, but not of all. */
export function outcomeOf({ undoOf, state, counts }: Operation, isPartial = false): string {
  const changed = counts.changed + counts.created;
  if (undoOf == null) return changed > 0 ? state : `${state}_NOTHING`;
  if (state !== "FINISHED") return `UNDO_${state}`;
  if (changed === 0) return "UNDONE_NOTHING";
  const isLeft = isPartial || counts.refused + counts.conflicts + counts.missing > 0;
  return isLeft ? "UNDONE_PARTLY" : "UNDONE";
}
