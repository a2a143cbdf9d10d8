// The newest bulk operations: who changed what of how many items, how far it is, and the way back.
import { Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { OperationState } from "../../api/enums/OperationState.gen";
import { messageOf } from "../../api/problem";
import { useValueLabels, type ValueLabel } from "../../history/valueLabels";
import { currentLanguage, t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatMoment, formatNumber } from "../../i18n/formats";
import { changedLists } from "../../operations/changedLists";
import { changedFields, changeText, operationField } from "../../operations/changeText";
import { valueName } from "../../operations/names";
import { OperationCounts } from "../../operations/OperationCounts";
import { OperationRows } from "../../operations/OperationRows";
import { PartialRows } from "../../operations/PartialRows";
import {
  isUndoable,
  isUnfinished,
  type Operation,
  operationQueries,
  useCancelOperation,
  useUndoOperation,
  type Verdict,
} from "../../operations/queries";
import { resourceName } from "../../operations/resources";
import { confirm } from "../../ui/confirm";
import { Dialog } from "../../ui/Dialog";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { DownloadIcon } from "../../ui/lazyIcons";
import { ListExport } from "../../ui/list/export/ListExport";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { toast } from "../../ui/toast";
import { undoingOf } from "./undoing";
import "./operations-page.css";

/** The columns of a file at first: what the list shows. */
const exported = ["id", "createdDate", "createdBy", "resource", "action", "import", "state", "total"]
  .concat(["changed", "created", "unchanged", "refused", "conflicts", "missing"])
  .map((key) => ({ key }));

const tones: Record<Operation["state"], Tone> = {
  WAITING: "gray",
  RUNNING: "blue",
  FINISHED: "green",
  CANCELLED: "yellow",
  FAILED: "red",
};

export default function OperationsPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(operationQueries.newest);
  const [opened, setOpened] = useState<Operation>();
  // As far as it is by now; it may be too old for the list by then.
  const shown = opened && (data?.find(({ id }) => id === opened.id) ?? opened);
  useChangedLists(data);
  const names = useValueLabels(
    (data ?? []).map(({ resource, action }) => ({ resource, fields: action ? changedFields(action) : [] })),
  );
  return (
    <>
      <PageHeading
        title={t("pages.operations")}
        actions={
          data &&
          data.length > 0 && (
            <ListExport
              list="operations"
              file="spreadsheets/operations"
              query={{}}
              total={undefined}
              columns={exported}
            />
          )
        }
      />
      {data?.length === 0 ? (
        <Empty>{t("operations.page.nothing")}</Empty>
      ) : data ? (
        <ul className="operation-list" aria-label={t("pages.operations")}>
          {data.map((operation) => (
            <Item
              key={operation.id}
              of={operation}
              operations={data}
              names={names}
              onShow={() => setOpened(operation)}
            />
          ))}
        </ul>
      ) : error ? (
        <ErrorView
          title={t("operations.page.failed")}
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
      {shown && <Details of={shown} names={names} onClose={() => setOpened(undefined)} />}
    </>
  );
}

/** Has the lists read again that an operation changed which has ended since the page was opened. */
function useChangedLists(operations: readonly Operation[] | undefined): void {
  const client = useQueryClient();
  const ended = useRef<Set<number>>(undefined);
  useEffect(() => {
    if (!operations) return;
    const now = operations.filter((operation) => !isUnfinished(operation));
    const known = ended.current;
    ended.current = new Set(now.map(({ id }) => id));
    if (!known) return;
    for (const { resource } of now.filter(({ id }) => !known.has(id)))
      for (const queryKey of changedLists(resource)) void client.invalidateQueries({ queryKey });
  }, [client, operations]);
}

interface ItemProps {
  of: Operation;
  operations: readonly Operation[];
  names: Names;
  onShow: () => void;
}

function Item({ of: operation, operations, names, onShow }: ItemProps) {
  const { t } = useTranslation();
  const cancel = useCancelOperation();
  const undo = useUndoOperation();
  const failed = (problem: Error) => toast.failure(t("operations.page.notDone"), messageOf(problem));
  const changed = operation.counts.changed + operation.counts.created;
  const askToUndo = async () => {
    const { text, isSafe } = undoingOf(operation, operations);
    const goesAhead = await confirm({
      title: t("operations.page.undoTitle"),
      consequence: t(`operations.page.${text}`, {
        count: changed,
        number: formatNumber(changed),
      }),
      verb: t("operations.undo"),
      isSafe,
    });
    if (goesAhead)
      undo.mutate(operation.id, {
        onSuccess: () => toast.success(t("operations.page.undoBegun")),
        onError: failed,
      });
  };
  return (
    <li>
      <div className="operation-what">
        <strong>{resourceName(operation.resource)}</strong>
        <span>{textOf(operation, names)}</span>
        <span className="quiet">
          {operation.createdBy} · <span className="tabular">{formatMoment(operation.createdDate)}</span>
          {operation.undoneBy != null && ` · ${t("operations.page.undoneBy", { id: operation.undoneBy })}`}
        </span>
      </div>
      <div className="operation-result">
        <ToneBadge tone={tones[operation.state]}>{labelOf(OperationState, operation.state)}</ToneBadge>
        {isUnfinished(operation) && (
          <span className="tabular quiet">
            {formatNumber(operation.done)} / {formatNumber(operation.total)}
          </span>
        )}
        <OperationCounts of={operation} />
      </div>
      <Group gap="xs" className="operation-actions">
        <Button variant="default" size="compact-sm" onClick={onShow}>
          {t("operations.page.details")}
        </Button>
        {isUnfinished(operation) && (
          <Button
            variant="default"
            size="compact-sm"
            loading={cancel.isPending}
            onClick={() => cancel.mutate(operation.id, { onError: failed })}
          >
            {t("operations.stop")}
          </Button>
        )}
        {isUndoable(operation) && (
          <Button
            variant="default"
            size="compact-sm"
            loading={undo.isPending}
            onClick={() => void askToUndo()}
          >
            {t("operations.undo")}
          </Button>
        )}
      </Group>
    </li>
  );
}

/** The names of the values that changes have, by resource. */
type Names = (resource: string) => ValueLabel;

/** Rows that the details show of each verdict. */
const shownRows = 100;

interface DetailsProps {
  of: Operation;
  names: Names;
  onClose: () => void;
}

function Details({ of: operation, names, onClose }: DetailsProps) {
  const { counts } = operation;
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
      <Group justify="space-between">
        <OperationCounts of={operation} />
        {counts.refused + counts.conflicts + counts.missing > 0 && (
          <Button
            component="a"
            href={`/api/operations/${operation.id}/failures?language=${currentLanguage()}`}
            download
            variant="default"
            size="compact-sm"
            leftSection={<DownloadIcon size={16} />}
          >
            {t("operations.page.failures")}
          </Button>
        )}
      </Group>
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
            {...labels}
          />
        ))}
    </Dialog>
  );
}

/** What an operation does, in one line. */
function textOf({ action, import: file, undoOf, resource }: Operation, names: Names): string {
  if (file) return t("operations.page.import", { file: file.fileName });
  return action
    ? changeText(action, resource, names(resource))
    : t("operations.page.undoes", { id: undoOf ?? "" });
}
