// What is selected of several kinds comes out of the trash: one preview of all, one confirmation, and one result that leads
// to the operation of each kind.
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { messageOf } from "../../../api/problem";
import { LeaveGuard } from "../../../forms/LeaveGuard";
import { textAt } from "../../../i18n";
import { formatNumber } from "../../../i18n/formats";
import { formatList } from "../../../i18n/lazyFormats";
import { Rows } from "../../../operations/BulkDialog";
import { OperationCounts } from "../../../operations/OperationCounts";
import { OperationProgress } from "../../../operations/OperationProgress";
import { isUnfinished, type Operation, operationQueries } from "../../../operations/queries";
import { paths } from "../../../routing/paths";
import { confirm } from "../../../ui/confirm";
import { Dialog } from "../../../ui/Dialog";
import { FailureAlert } from "../../../ui/FailureAlert";
import { targetOf } from "./target";
import {
  isComplete,
  isLeftOut,
  isUnanswered,
  type KindPart,
  mayFollow,
  type Restoration,
  useRestorations,
} from "./useRestorations";

interface RestoreSeveralDialogProps {
  findParts: () => Promise<KindPart[]>;
  /** How many are selected. */
  count: number;
  /** Whether an operation of each kind has ended, or is left to itself; of which kinds it has ended. */
  onClose: (isDone: boolean, ended: readonly KindPart[]) => void;
}

export function RestoreSeveralDialog({ findParts, count: selected, onClose }: RestoreSeveralDialogProps) {
  const { t } = useTranslation();
  const { phase, parts, current, failure, count, ...of } = useRestorations(findParts);
  /** Stops, cancels or closes: the same element in every phase. */
  const ending = useRef<HTMLButtonElement>(null);
  const retry = () => {
    void of.retry();
    // The button that was clicked goes.
    ending.current?.focus();
  };
  const isRunning = phase === "running";
  const isBusy = isRunning || phase === "previewing";
  const found = parts.reduce((sum, { preview }) => sum + (preview?.total ?? 0), 0);
  /** What has no answer, was cancelled or was not begun stays selected. */
  const isDone = phase === "ended" && parts.every(isComplete);
  const title = phase === "previewing" ? selected : found;
  const question = {
    title: t("history.trash.several.leave"),
    consequence: t("history.trash.several.leaveWhy"),
    verb: t("history.trash.several.leaveVerb"),
    cancel: t("history.trash.several.stay"),
  };
  const close = async () => {
    if (isRunning && !(await confirm(question))) return;
    onClose(isRunning || isDone, parts.filter(isComplete));
  };
  return (
    <Dialog
      title={t("operations.restoreTitle", { count: title, number: formatNumber(title) })}
      onClose={() => void close()}
      size="lg"
      isForm
    >
      {isRunning && <LeaveGuard question={question} />}
      <Stack gap="sm">
        {isBusy && (
          <Current
            id={current?.id}
            text={`${t(isRunning ? "operations.restoring" : "operations.previewing")} ${current ? textAt(`pages.${current.kind}`) : ""}`.trim()}
          />
        )}
        {phase === "ready" && <Confirmation parts={parts} hasFailed={failure !== undefined} />}
        {phase === "ended" && <Result parts={parts} />}
        <FailureAlert>{failure && messageOf(failure)}</FailureAlert>
        <Group justify="flex-end" gap="sm">
          {isRunning ? (
            <Button ref={ending} variant="default" loading={of.isStopping} onClick={of.stop}>
              {t("operations.stop")}
            </Button>
          ) : (
            <Button ref={ending} variant="default" onClick={() => void close()}>
              {t(phase === "ended" ? "common.close" : "common.cancel")}
            </Button>
          )}
          {phase === "ended" && parts.some(isUnanswered) && (
            <Button onClick={retry}>{t("common.retry")}</Button>
          )}
          {phase !== "ended" && !isRunning && (
            <Button disabled={isBusy || count === 0} onClick={() => void of.run()}>
              {phase === "ready"
                ? t("operations.runRestoration", { count, number: formatNumber(count) })
                : t("operations.restore")}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

function Current({ id, text }: { id: number | undefined; text: string }) {
  const { data } = useQuery({ ...operationQueries.one(id ?? 0), enabled: id !== undefined });
  return <OperationProgress operation={id === undefined ? undefined : data} text={text} />;
}

/** «3 películas, 2 canales de TV» */
function useKindCounts(parts: readonly Restoration[]): string {
  const { t } = useTranslation();
  return parts
    .flatMap(({ kind, preview }) =>
      preview
        ? t(`history.trash.several.kinds.${kind}`, {
            count: preview.total,
            number: formatNumber(preview.total),
          })
        : [],
    )
    .join(", ");
}

/** The operations as one, to count what became of all items. */
function sumOf(operations: readonly Operation[]): Operation | undefined {
  const [first, ...others] = operations;
  if (!first) return undefined;
  const counts = { ...first.counts };
  for (const other of others)
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += other.counts[name];
  return { ...first, counts };
}

interface ConfirmationProps {
  parts: readonly Restoration[];
  /** What there is to restore is not known. */
  hasFailed: boolean;
}

function Confirmation({ parts, hasFailed }: ConfirmationProps) {
  const { t } = useTranslation();
  const kinds = useKindCounts(parts);
  const sum = sumOf(parts.flatMap(({ preview }) => preview ?? []));
  if (parts.length === 0) return hasFailed ? null : <Text>{t("history.trash.several.nothing")}</Text>;
  return (
    <>
      {kinds && <Text fw={600}>{kinds}</Text>}
      {sum && <OperationCounts of={sum} />}
      {sum && sum.counts.refused > 0 && <Text size="sm">{t("operations.restoreRefused")}</Text>}
      {parts.some((part) => mayFollow(part, parts)) && (
        <Text size="sm">{t("history.trash.several.follow")}</Text>
      )}
      {parts.map((part) => (
        <Part key={part.kind} of={part} operation={part.preview} />
      ))}
    </>
  );
}

function Result({ parts }: { parts: readonly Restoration[] }) {
  const { t } = useTranslation();
  const operations = parts.flatMap(({ operation }) => operation ?? []);
  const sum = sumOf(operations);
  /** How one of them ended is not known. */
  const isOpen = parts.some((part) => (part.operation && part.problem) || isUnanswered(part));
  const isStopped = parts.some(
    ({ operation, problem, preview }) =>
      operation?.state === "CANCELLED" || (!operation && !problem && preview && preview.counts.changed > 0),
  );
  const namesOf = (some: readonly Restoration[]) =>
    formatList(some.map(({ kind }) => textAt(`pages.${kind}`)));
  const unanswered = parts.filter(isUnanswered);
  const leftOut = parts.filter(isLeftOut);
  return (
    <>
      {unanswered.length > 0 && (
        <Text fw={600} role="status">
          {t("history.trash.several.unknown", { kinds: namesOf(unanswered) })}
        </Text>
      )}
      {!isOpen && (
        <>
          <Text fw={600} role="status">
            {t(
              !sum || sum.counts.changed === 0
                ? "history.trash.several.unchanged"
                : isStopped
                  ? "history.trash.several.stopped"
                  : "history.trash.several.ended",
            )}
          </Text>
          {sum && <OperationCounts of={sum} />}
        </>
      )}
      {leftOut.length > 0 && (
        <Text size="sm" role="status">
          {t("history.trash.several.leftOut", { kinds: namesOf(leftOut) })}
        </Text>
      )}
      {parts.map((part) => (
        <Part key={part.kind} of={part} operation={part.operation} isEnded />
      ))}
    </>
  );
}

interface PartProps {
  of: Restoration;
  operation: Operation | undefined;
  isEnded?: boolean;
}

/** One of the kinds: what becomes of its items, and what is in the way. */
function Part({ of: { kind, problem, preview }, operation, isEnded = false }: PartProps) {
  const { t } = useTranslation();
  const name = textAt(`pages.${kind}`);
  // An operation whose state could not be read may go on.
  const { data: live = operation } = useQuery({
    ...operationQueries.one(operation?.id ?? 0),
    enabled: operation !== undefined && problem !== undefined,
  });
  const isAnswered = isEnded && operation && live && !isUnfinished(live);
  // Of what was all refused in the preview, nothing is begun.
  const shown = operation ? live : isEnded && !problem && preview?.counts.changed === 0 ? preview : undefined;
  return (
    <section aria-label={name}>
      <Group gap="xs" mb="xs" fz="sm">
        <Text fw={600} size="sm">
          {name}
        </Text>
        {shown && <OperationCounts of={shown} />}
        {operation && isEnded && (
          <Link to={`${paths.operations}?operation=${operation.id}`}>
            {t("operations.page.one", { id: operation.id })}
          </Link>
        )}
        {!shown && !problem && <span className="quiet">{t("history.trash.several.notBegun")}</span>}
      </Group>
      {shown && <Rows operation={shown} of={targetOf(kind)} onlyProblems />}
      <FailureAlert>{problem && !isAnswered && messageOf(problem)}</FailureAlert>
    </section>
  );
}
