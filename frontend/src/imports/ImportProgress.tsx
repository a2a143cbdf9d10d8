// The last step of an import: how far it is, what came of it, and the way back.
import { Button, Group, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../api/problem";
import { changedLists } from "../operations/changedLists";
import { OperationCounts } from "../operations/OperationCounts";
import { OperationOutcome } from "../operations/OperationOutcome";
import { OperationProgress } from "../operations/OperationProgress";
import { PartialRows } from "../operations/PartialRows";
import {
  isUndoable,
  isUnfinished,
  operationQueries,
  useCancelOperation,
  useUndoOperation,
} from "../operations/queries";
import { FailureAlert } from "../ui/FailureAlert";
import { ImportRows, RefusedRows } from "./ImportRows";
import type { ImportTarget } from "./target";

interface ImportProgressProps {
  id: number;
  target: ImportTarget;
  /** The operation that undoes this one has begun. */
  onUndo: (id: number) => void;
  onAnother: () => void;
  onClose: () => void;
}

export function ImportProgress({ id, target, onUndo, onAnother, onClose }: ImportProgressProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: operation, error } = useQuery(operationQueries.one(id));
  const cancel = useCancelOperation();
  const undo = useUndoOperation();
  const isDone = operation !== undefined && !isUnfinished(operation);
  const isUndo = operation?.undoOf != null;
  const resource = operation?.resource ?? "";
  useEffect(() => {
    if (!isDone) return;
    for (const queryKey of [target.lists, ...changedLists(resource)])
      void client.invalidateQueries({ queryKey });
  }, [client, isDone, target, resource]);
  const problem = error ?? cancel.error ?? undo.error;
  return (
    <Stack gap="sm">
      {operation && isDone ? (
        <>
          <OperationOutcome of={operation} />
          <OperationCounts of={operation} />
          <PartialRows operation={operation} fieldLabel={target.fieldLabel} valueLabel={target.valueLabel} />
          <ImportRows operation={operation} target={target} onlyProblems />
          {!isUndo && <RefusedRows operation={operation} />}
        </>
      ) : (
        <OperationProgress operation={operation} text={t("imports.running")} />
      )}
      <FailureAlert>{problem && messageOf(problem)}</FailureAlert>
      <Group justify="flex-end" gap="sm">
        {isDone && !isUndo && isUndoable(operation) && (
          <Button
            variant="default"
            loading={undo.isPending}
            onClick={() => undo.mutate(id, { onSuccess: (begun) => onUndo(begun.id) })}
          >
            {t("operations.undo")}
          </Button>
        )}
        {isDone && (
          <Button variant="default" onClick={onAnother}>
            {t("imports.another")}
          </Button>
        )}
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
