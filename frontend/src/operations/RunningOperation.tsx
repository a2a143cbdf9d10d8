// An operation that has begun in a dialog: how far it is, then what came of it, and the way back.
import { Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../api/problem";
import { FailureAlert } from "../ui/FailureAlert";
import { OperationCounts } from "./OperationCounts";
import { OperationOutcome } from "./OperationOutcome";
import { OperationProgress } from "./OperationProgress";
import {
  isUndoable,
  isUnfinished,
  type Operation,
  operationQueries,
  useCancelOperation,
  useUndoOperation,
} from "./queries";

interface RunningOperationProps {
  id: number;
  /** What it does, while it does. */
  text: (operation: Operation | undefined) => string;
  /** It has ended, or had before. */
  onEnded: (operation: Operation) => void;
  /** The operation that undoes this one has begun. */
  onUndo: (id: number) => void;
  onClose: () => void;
  /** What else is shown of an ended one. */
  details?: (operation: Operation) => ReactNode;
  /** What else can be done once it has ended. */
  next?: ReactNode;
}

export function RunningOperation(props: RunningOperationProps) {
  const { id, text, onEnded, onUndo, onClose, details, next } = props;
  const { t } = useTranslation();
  const { data: operation, error } = useQuery(operationQueries.one(id));
  const cancel = useCancelOperation();
  const undo = useUndoOperation();
  const isDone = operation !== undefined && !isUnfinished(operation);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it has ended
  useEffect(() => {
    if (isDone) onEnded(operation);
  }, [id, isDone]);
  const problem = error ?? cancel.error ?? undo.error;
  return (
    <Stack gap="sm">
      {operation && isDone ? (
        <>
          <OperationOutcome of={operation} />
          <OperationCounts of={operation} />
          {details?.(operation)}
        </>
      ) : (
        <OperationProgress operation={operation} text={text(operation)} />
      )}
      <FailureAlert>{problem && messageOf(problem)}</FailureAlert>
      <Group justify="flex-end" gap="sm">
        {isDone && operation.undoOf == null && isUndoable(operation) && (
          <Button
            variant="default"
            loading={undo.isPending}
            onClick={() => undo.mutate(id, { onSuccess: (begun) => onUndo(begun.id) })}
          >
            {t("operations.undo")}
          </Button>
        )}
        {isDone && next}
        {!isDone && (
          <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(id)}>
            {t("operations.stop")}
          </Button>
        )}
        <Button onClick={onClose}>{t("common.close")}</Button>
      </Group>
    </Stack>
  );
}
