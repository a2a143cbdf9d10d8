// Applies entries: asks first, then shows how far it is, what came of it, and the way back.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { textAt, textNear } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { OperationCounts } from "../../operations/OperationCounts";
import { OperationProgress } from "../../operations/OperationProgress";
import { OperationRows } from "../../operations/OperationRows";
import {
  isUndoable,
  isUnfinished,
  operationQueries,
  useCancelOperation,
  useUndoOperation,
} from "../../operations/queries";
import { Dialog } from "../../ui/Dialog";
import { type ApplyRequest, useApplied, useApply } from "./queries";

/** Rows that are shown of those that were not applied. */
const shownRows = 50;

interface ApplyDialogProps {
  source: number;
  run: number;
  request: ApplyRequest;
  count: number;
  /** Whether something was applied. */
  onClose: (isDone: boolean) => void;
}

export default function ApplyDialog({ source, run, request, count, onClose }: ApplyDialogProps) {
  const { t } = useTranslation();
  const apply = useApply(source, run);
  const [operations, setOperations] = useState<number[]>([]);
  const isBegun = operations.length > 0;
  return (
    <Dialog title={t("playlists.apply.title")} onClose={() => onClose(isBegun)} size="lg" isForm={isBegun}>
      {isBegun ? (
        <Stack gap="md">
          {operations.map((id, index) => (
            <Carried
              key={id}
              id={id}
              source={source}
              onUndo={(undo) => setOperations(operations.with(index, undo))}
            />
          ))}
          <Group justify="flex-end">
            <Button onClick={() => onClose(true)}>{t("common.close")}</Button>
          </Group>
        </Stack>
      ) : (
        <Stack gap="md">
          <Text size="sm">{t("playlists.apply.consequence", { count, number: formatNumber(count) })}</Text>
          {apply.error && (
            <Text c="var(--danger)" role="alert">
              {messageOf(apply.error)}
            </Text>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => onClose(false)}>
              {t("common.cancel")}
            </Button>
            <Button
              loading={apply.isPending}
              onClick={() =>
                apply.mutate(request, { onSuccess: (begun) => setOperations(begun.map(({ id }) => id)) })
              }
            >
              {t("playlists.apply.verb")}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

/** One of the operations that apply: for channels, or for radio stations. */
function Carried({ id, source, onUndo }: { id: number; source: number; onUndo: (id: number) => void }) {
  const { t } = useTranslation();
  const { data: operation, error } = useQuery(operationQueries.one(id));
  const cancel = useCancelOperation();
  const undo = useUndoOperation();
  const applied = useApplied(source);
  const isDone = operation !== undefined && !isUnfinished(operation);
  const isUndo = operation?.undoOf != null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it has ended
  useEffect(() => {
    if (isDone) applied();
  }, [isDone]);
  const problem = error ?? cancel.error ?? undo.error;
  const kind = operation?.resource;
  return (
    <section className="playlist-operation" aria-label={kind ? textAt(`pages.${kind}`) : undefined}>
      {kind && <h3>{textAt(`pages.${kind}`)}</h3>}
      {operation && isDone ? (
        <>
          <Text fw={600} role="status">
            {textAt(`operations.ended.${isUndo ? "UNDONE" : operation.state}`)}
          </Text>
          <OperationCounts of={operation} />
          {(
            [
              ["REFUSED", operation.counts.refused],
              ["CONFLICT", operation.counts.conflicts],
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
                  fieldLabel={(field) =>
                    textNear(`contents.${kind}`, `fields.${field.split(/[.[]/)[0] ?? field}`)
                  }
                  valueLabel={() => undefined}
                />
              ),
          )}
        </>
      ) : (
        <OperationProgress operation={operation} text={t("playlists.apply.running")} />
      )}
      {problem && (
        <Text c="var(--danger)" role="alert">
          {messageOf(problem)}
        </Text>
      )}
      <Group gap="sm" mt="xs">
        {isDone && !isUndo && isUndoable(operation) && (
          <Button
            variant="default"
            size="compact-sm"
            loading={undo.isPending}
            onClick={() => undo.mutate(id, { onSuccess: (begun) => onUndo(begun.id) })}
          >
            {t("operations.undo")}
          </Button>
        )}
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
