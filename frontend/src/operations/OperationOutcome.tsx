// What came of an operation that has ended, in words.
import { Text } from "@mantine/core";
import { textAt } from "../i18n";
import type { Operation } from "./queries";

export function OperationOutcome({ of: operation }: { of: Operation }) {
  return (
    <Text fw={600} role="status">
      {textAt(`operations.ended.${outcomeOf(operation)}`)}
    </Text>
  );
}

export function outcomeOf({ undoOf, state, counts }: Operation): string {
  if (undoOf != null) return state === "FINISHED" ? "UNDONE" : `UNDO_${state}`;
  return counts.changed + counts.created > 0 ? state : `${state}_NOTHING`;
}
