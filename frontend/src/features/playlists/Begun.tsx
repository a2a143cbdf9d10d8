// The operations that applying has started: progress and result of each, and undo of all.
import { Button, Group, Stack } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { textAt, textNear } from "../../i18n";
import { OperationCounts } from "../../operations/OperationCounts";
import { OperationOutcome } from "../../operations/OperationOutcome";
import { OperationProgress } from "../../operations/OperationProgress";
import { OperationRows } from "../../operations/OperationRows";
import { PartialRows } from "../../operations/PartialRows";
import {
  isUndoable,
  isUnfinished,
  operationQueries,
  useCancelOperation,
  useUndoOperation,
} from "../../operations/queries";
import { FailureAlert } from "../../ui/FailureAlert";
import { useApplied } from "./queries";

/** Rows that are shown of those that were not applied. */
const shownRows = 50;

interface BegunProps {
  source: number;
  of: readonly number[];
  /** The operations of which some are undone by others now. */
  onUndo: (operations: number[]) => void;
  onClose: () => void;
}

export function Begun({ source, of: operations, onUndo, onClose }: BegunProps) {
  return (
    <Stack gap="md">
      {operations.map((id) => (
        <Carried key={id} id={id} source={source} />
      ))}
      <Foot of={operations} onUndo={onUndo} onClose={onClose} />
    </Stack>
  );
}

type FootProps = Omit<BegunProps, "source">;

/** Undo of all: channels and radio stations are undone together. */
function Foot({ of: ids, onUndo, onClose }: FootProps) {
  const { t } = useTranslation();
  const undo = useUndoOperation();
  const found = useQueries({ queries: ids.map(operationQueries.one) });
  const operations = found.flatMap(({ data }) => data ?? []);
  const isDone = operations.length === ids.length && !operations.some(isUnfinished);
  const undoable = operations.filter((one) => one.undoOf == null && isUndoable(one));
  const undoAll = async () => {
    let known = [...ids];
    for (const { id } of undoable) {
      const undoing = (await undo.mutateAsync(id)).id;
      known = known.map((operation) => (operation === id ? undoing : operation));
      onUndo(known);
    }
  };
  return (
    <>
      <FailureAlert>{undo.error && messageOf(undo.error)}</FailureAlert>
      <Group justify="flex-end" gap="sm">
        {isDone && undoable.length > 0 && (
          <Button
            variant="default"
            loading={undo.isPending}
            // Failures are shown above.
            onClick={() => void undoAll().catch(() => undefined)}
          >
            {t("operations.undo")}
          </Button>
        )}
        <Button onClick={onClose}>{t("common.close")}</Button>
      </Group>
    </>
  );
}

/** One of the operations that apply: for channels, or for radio stations. */
function Carried({ id, source }: { id: number; source: number }) {
  const { t } = useTranslation();
  const { data: operation, error } = useQuery(operationQueries.one(id));
  const cancel = useCancelOperation();
  const applied = useApplied(source);
  const isDone = operation !== undefined && !isUnfinished(operation);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it has ended
  useEffect(() => {
    if (isDone) applied();
  }, [isDone]);
  const problem = error ?? cancel.error;
  const kind = operation?.resource;
  const fieldLabel = (field: string) =>
    textNear(`contents.${kind}`, `fields.${field.split(/[.[]/)[0] ?? field}`);
  return (
    <section className="playlist-operation" aria-label={kind ? textAt(`pages.${kind}`) : undefined}>
      {kind && <h3>{textAt(`pages.${kind}`)}</h3>}
      {operation && isDone ? (
        <>
          <OperationOutcome of={operation} />
          <OperationCounts of={operation} />
          <PartialRows operation={operation} fieldLabel={fieldLabel} />
          {(
            [
              ["REFUSED", operation.counts.refused],
              ["CONFLICT", operation.counts.conflicts],
              ["MISSING", operation.counts.missing],
            ] as const
          ).map(
            ([verdict, total]) =>
              total > 0 && (
                <OperationRows
                  key={verdict}
                  operation={operation}
                  verdict={verdict}
                  total={total}
                  limit={shownRows}
                  fieldLabel={fieldLabel}
                />
              ),
          )}
        </>
      ) : (
        <OperationProgress operation={operation} text={t("playlists.apply.running")} />
      )}
      <FailureAlert>{problem && messageOf(problem)}</FailureAlert>
      <Group gap="sm" mt="xs">
        {operation && !isDone && (
          <Button
            variant="default"
            size="compact-sm"
            loading={cancel.isPending}
            onClick={() => cancel.mutate(id)}
          >
            {t("operations.stop")}
          </Button>
        )}
      </Group>
    </section>
  );
}
