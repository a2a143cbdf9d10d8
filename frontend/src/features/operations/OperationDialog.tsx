// One operation, that the address leads to: what became of its items, and the way back.
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link, type LinkProps } from "react-router";
import { messageOf } from "../../api/problem";
import { formatMoment } from "../../i18n/formats";
import { operationField } from "../../operations/changeText";
import { FailuresLink } from "../../operations/FailuresLink";
import { valueName } from "../../operations/names";
import { OperationCounts } from "../../operations/OperationCounts";
import { OperationOutcome } from "../../operations/OperationOutcome";
import { OperationProgress } from "../../operations/OperationProgress";
import { OperationRows } from "../../operations/OperationRows";
import { PartialRows } from "../../operations/PartialRows";
import { isUnfinished, type Operation, operationQueries, type Verdict } from "../../operations/queries";
import { resourceName } from "../../operations/resources";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { Progress, UndoneBy } from "./states";
import { type Names, textOf, useNames } from "./texts";
import { useWaysBack } from "./useWaysBack";

/** Rows that the details show of each verdict at first, and more of them at a time. */
const shownRows = 100;

interface OperationDialogProps {
  id: number;
  /** The operation as listed, where it is on the page that is shown. */
  known: Operation | undefined;
  /** The last operation that was begun to undo this one. */
  undo: Operation | undefined;
  addressOf: (id: number) => LinkProps["to"];
  /** This operation undoes the one that is shown: it has begun, or is known by its id alone. */
  onUndo: (id: number) => void;
  onClose: () => void;
}

export function OperationDialog({ id, known, ...props }: OperationDialogProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({ ...operationQueries.one(id), placeholderData: known });
  const names = useNames(data ? [data] : []);
  if (data) return <Details of={data} names={names} {...props} />;
  return (
    <Dialog title={t("operations.page.one", { id })} onClose={props.onClose} size="xl">
      {error ? (
        <ErrorView
          title={t("operations.page.oneFailed")}
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
    </Dialog>
  );
}

interface DetailsProps extends Omit<OperationDialogProps, "id" | "known"> {
  of: Operation;
  names: Names;
}

function Details({ of: operation, names, undo, addressOf, onUndo, onClose }: DetailsProps) {
  const { t } = useTranslation();
  const { counts, undoneBy } = operation;
  const isUndoMissing = undoneBy != null && undo?.id !== undoneBy;
  // It may be on another page of the list.
  useEffect(() => {
    if (isUndoMissing) onUndo(undoneBy);
  }, [isUndoMissing, undoneBy, onUndo]);
  const verdicts: [Verdict, number][] = [
    ["REFUSED", counts.refused],
    ["CONFLICT", counts.conflicts],
    ["MISSING", counts.missing],
    ["CREATED", counts.created],
    ["CHANGED", counts.changed],
    ["UNCHANGED", counts.unchanged],
  ];
  const { resource } = operation;
  const labels = {
    fieldLabel: (field: string) => operationField(resource, field),
    valueLabel: valueName,
  };
  return (
    <Dialog title={textOf(operation, names)} onClose={onClose} size="xl">
      <p>
        {t("operations.page.one", { id: operation.id })} · {resourceName(resource)} ·{" "}
        <span className="quiet">
          {operation.createdBy} · <span className="tabular">{formatMoment(operation.createdDate)}</span>
          <UndoneBy of={operation} />
        </span>
      </p>
      <Group justify="space-between">
        <Group gap="xs">
          <Progress of={operation} />
          <OperationCounts of={operation} />
        </Group>
        {useWaysBack(operation, onUndo).map(({ verb, isBusy, onClick }) => (
          <Button key={verb} variant="default" size="compact-sm" loading={isBusy} onClick={onClick}>
            {verb}
          </Button>
        ))}
        <FailuresLink operation={operation}>{t("operations.page.failures")}</FailuresLink>
      </Group>
      {operation.undoOf != null && !isUnfinished(operation) && <OperationOutcome of={operation} />}
      {undo && <UndoState of={undo} to={addressOf(undo.id)} />}
      <PartialRows operation={operation} {...labels} />
      {verdicts
        .filter(([, total]) => total > 0)
        .map(([verdict, total]) => (
          <OperationRows
            key={verdict}
            operation={operation}
            verdict={verdict}
            total={total}
            limit={shownRows}
            isWhole
            {...labels}
          />
        ))}
    </Dialog>
  );
}

/** How far an undo is, or what came of it. */
function UndoState({ of: undo, to }: { of: Operation; to: LinkProps["to"] }) {
  const { t } = useTranslation();
  if (isUnfinished(undo)) return <OperationProgress operation={undo} text={t("operations.undoing")} />;
  return (
    <Group gap="xs" mt="xs">
      <Link to={to} preventScrollReset>
        {t("operations.page.one", { id: undo.id })}
      </Link>
      <OperationOutcome of={undo} />
      <OperationCounts of={undo} />
    </Group>
  );
}
