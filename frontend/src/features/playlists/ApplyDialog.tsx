// Applies entries: asks first, then shows how far it is, what came of it, and the way back.
import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { StreamVerdict } from "../../api/enums/StreamVerdict.gen";
import { messageOf } from "../../api/problem";
import { textAt, textNear } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
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
import { paths } from "../../routing/paths";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { type Applied, type AppliedEntries, useApplied, useApply } from "./queries";

/** Rows that are shown of those that were not applied, and of streams. */
const shownRows = 50;

type Streams = Pick<Applied, "streams" | "streamCount">;

interface ApplyDialogProps {
  source: number;
  run: number;
  request: AppliedEntries;
  count: number;
  /** Whether users may have changed fields of what is applied: the list's values can replace theirs. */
  mayBeEdited: boolean;
  /** Whether something was applied. */
  onClose: (isDone: boolean) => void;
}

export default function ApplyDialog({ source, run, request, count, mayBeEdited, onClose }: ApplyDialogProps) {
  const { t } = useTranslation();
  const apply = useApply(source, run);
  const [operations, setOperations] = useState<number[]>([]);
  const [streams, setStreams] = useState<Streams>({ streams: [], streamCount: 0 });
  const [replaceEdited, setReplaceEdited] = useState(false);
  const isBegun = operations.length > 0 || streams.streamCount > 0;
  const applied = useApplied(source);
  return (
    <Dialog title={t("playlists.apply.title")} onClose={() => onClose(isBegun)} size="lg" isForm={isBegun}>
      {isBegun ? (
        <Stack gap="md">
          {operations.map((id) => (
            <Carried key={id} id={id} source={source} />
          ))}
          {streams.streamCount > 0 && <AppliedStreams {...streams} />}
          <Foot
            of={operations}
            onUndo={(id, undo) =>
              setOperations((known) => known.map((operation) => (operation === id ? undo : operation)))
            }
            onClose={() => onClose(true)}
          />
        </Stack>
      ) : (
        <Stack gap="md">
          <Text size="sm">{t("playlists.apply.consequence", { count, number: formatNumber(count) })}</Text>
          <Text size="sm">{t("playlists.apply.ofStreams")}</Text>
          {mayBeEdited && (
            <Checkbox
              label={t("playlists.apply.replaceEdited")}
              description={t("playlists.apply.keepEdited")}
              checked={replaceEdited}
              onChange={({ currentTarget }) => setReplaceEdited(currentTarget.checked)}
            />
          )}
          <FailureAlert>{apply.error && messageOf(apply.error)}</FailureAlert>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => onClose(false)}>
              {t("common.cancel")}
            </Button>
            <Button
              loading={apply.isPending}
              onClick={() =>
                apply.mutate(
                  { ...request, replaceEdited },
                  {
                    onSuccess: (begun) => {
                      setOperations(begun.operations.map(({ id }) => id));
                      // They are changed at once.
                      setStreams(begun);
                      applied();
                    },
                  },
                )
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

interface FootProps {
  of: readonly number[];
  /** An operation is being undone by another one. */
  onUndo: (id: number, undo: number) => void;
  onClose: () => void;
}

/** The way back for all of it: channels and radio stations are undone together. */
function Foot({ of: ids, onUndo, onClose }: FootProps) {
  const { t } = useTranslation();
  const undo = useUndoOperation();
  const found = useQueries({ queries: ids.map(operationQueries.one) });
  const operations = found.flatMap(({ data }) => data ?? []);
  const isDone = operations.length === ids.length && !operations.some(isUnfinished);
  const undoable = operations.filter((one) => one.undoOf == null && isUndoable(one));
  const undoAll = async () => {
    for (const { id } of undoable) onUndo(id, (await undo.mutateAsync(id)).id);
  };
  return (
    <>
      <FailureAlert>{undo.error && messageOf(undo.error)}</FailureAlert>
      <Group justify="flex-end" gap="sm">
        {isDone && undoable.length > 0 && (
          <Button
            variant="default"
            loading={undo.isPending}
            // What failed is said above.
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

/** What became of entries that are streams of channels: they have changed already, and there is no way back. */
function AppliedStreams({ streams, streamCount }: Streams) {
  const { t } = useTranslation();
  const more = streamCount - Math.min(streams.length, shownRows);
  return (
    <section className="playlist-operation" aria-label={t("playlists.apply.streams")}>
      <h3>{t("playlists.apply.streams")}</h3>
      <Text size="sm">{t("playlists.apply.streamsDone")}</Text>
      <ul>
        {streams.slice(0, shownRows).map(({ entryId, name, channelId, channelTitle, verdict }) => (
          <li key={entryId}>
            {name} → <Link to={paths.streams(channelId)}>{channelTitle}</Link>:{" "}
            {labelOf(StreamVerdict, verdict)}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text size="sm">{t("playlists.apply.moreStreams", { count: more, number: formatNumber(more) })}</Text>
      )}
    </section>
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
