// Bulk operations, newest first: who changed what of how many items, how far it is, and the way back. The address may lead to
// one of them.
import { Button, Group, NativeSelect, Skeleton } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { kinds } from "../../access/kinds";
import { isAdmin } from "../../access/permissions";
import { useUser } from "../../access/session";
import { OperationState } from "../../api/enums/OperationState.gen";
import { messageOf } from "../../api/problem";
import { failuresAddress } from "../../api/resourceFiles";
import { useValueLabels, type ValueLabel } from "../../history/valueLabels";
import { t as text } from "../../i18n";
import { labelOf, optionsOf } from "../../i18n/enums";
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
import { useAddress } from "../../routing/useAddress";
import { confirm } from "../../ui/confirm";
import { Dialog } from "../../ui/Dialog";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { fileLink } from "../../ui/fileLink";
import { DownloadIcon } from "../../ui/lazyIcons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { fromAddress, numberInAddress } from "../../ui/list/listQuery";
import { Pager } from "../../ui/list/Pager";
import { SearchBox } from "../../ui/list/SearchBox";
import { seldomShown } from "../../ui/list/seldomShown";
import { type ChangeList, useListAddress } from "../../ui/list/useListAddress";
import { useExistingPage } from "../../ui/list/usePages";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { toast } from "../../ui/toast";
import { undoingOf, withUndone } from "./undoing";
import "../../ui/list/list.css";
import "./operations-page.css";

const DayInput = seldomShown(() => import("../../forms/DayInput"));

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

const defaults = {
  name: "operations",
  size: 25,
  filters: ["resource", "state", "createdBy", "createdDateFrom", "createdDateTo"],
};

export default function OperationsPage() {
  const { t } = useTranslation();
  const { state, change } = useListAddress(defaults);
  const filters = fromAddress(state.filters);
  const list = useQuery(operationQueries.list({ _page: state.page, _size: state.size, ...filters }));
  useExistingPage(answerOf(list), state, change);
  const { data, error, refetch, isPlaceholderData } = list;
  const rows = data?.content ?? [];
  const [undoing, setUndoing] = useState<readonly number[]>([]);
  const followUndo = (id: number) => setUndoing((before) => [...before, id]);
  // The list need not show them: it may have filters, or another page.
  const undos = useQueries({ queries: undoing.map((id) => operationQueries.one(id)) });
  useChangedLists(
    isPlaceholderData || !data ? undefined : [...data.content, ...undos.flatMap((undo) => undo.data ?? [])],
    JSON.stringify([state.page, state.size, filters]),
  );
  const [opened, open] = useOpened();
  const names = useValueLabels(rows.map(shownFields));
  return (
    <>
      <PageHeading
        title={t("pages.operations")}
        count={data?.totalElements}
        countLabel={data && t("list.results", { count: data.totalElements })}
        actions={
          data &&
          data.totalElements > 0 && (
            <ListExport
              list="operations"
              file="spreadsheets/operations"
              query={filters}
              total={data.totalElements}
              columns={exported}
            />
          )
        }
      />
      <Tools filters={state.filters} change={change} />
      {data?.totalElements === 0 ? (
        <Empty>
          {t(
            Object.values(state.filters).some(Boolean)
              ? "operations.page.noneFound"
              : "operations.page.nothing",
          )}
        </Empty>
      ) : data ? (
        <>
          <ul className="operation-list" aria-label={t("pages.operations")}>
            {rows.map((operation) => (
              <Item
                key={operation.id}
                of={operation}
                names={names}
                onShow={() => open(operation.id)}
                onUndo={followUndo}
              />
            ))}
          </ul>
          <Pager
            page={state.page}
            size={state.size}
            total={data.totalElements}
            shown={data}
            onPage={(page) => change({ page })}
            onSize={(size) => change({ size })}
          />
        </>
      ) : error ? (
        <ErrorView
          title={t("operations.page.failed")}
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
      {opened !== undefined && (
        <Opened
          key={opened}
          id={opened}
          known={rows.find(({ id }) => id === opened)}
          onUndo={followUndo}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

/** Which operation the address leads to, beside the list. */
function useOpened() {
  const [address, setAddress] = useAddress();
  const open = (id: number | undefined) =>
    setAddress(
      (before) => {
        const after = new URLSearchParams(before);
        if (id === undefined) after.delete("operation");
        else after.set("operation", String(id));
        return after;
      },
      { replace: id === undefined, preventScrollReset: true },
    );
  return [numberInAddress(address.get("operation") ?? undefined), open] as const;
}

interface ToolsProps {
  filters: Record<string, string>;
  change: ChangeList;
}

/** Only admins see the operations of others. */
function Tools({ filters, change }: ToolsProps) {
  const { t } = useTranslation();
  const user = useUser();
  const ofAdmins = isAdmin(user);
  const { createdDateFrom: from = "", createdDateTo: to = "" } = filters;
  const resources = [...kinds, "seasons", "episodes", ...(ofAdmins ? ["users"] : []), "issue-reports"];
  return (
    <search className="list-tools">
      {ofAdmins && (
        <SearchBox
          value={filters.createdBy ?? ""}
          placeholder={t("operations.page.who")}
          onSearch={(text) => change({ filters: { createdBy: text.trim() || undefined } }, { replace: true })}
        />
      )}
      <NativeSelect
        aria-label={t("operations.page.resource")}
        value={filters.resource ?? ""}
        data={[
          { value: "", label: t("operations.page.anyResource") },
          ...resources.map((value) => ({ value, label: resourceName(value) })),
        ]}
        onChange={(event) => change({ filters: { resource: event.currentTarget.value || undefined } })}
      />
      <NativeSelect
        aria-label={t("operations.page.state")}
        value={filters.state ?? ""}
        data={[{ value: "", label: t("operations.page.anyState") }, ...optionsOf(OperationState)]}
        onChange={(event) => change({ filters: { state: event.currentTarget.value || undefined } })}
      />
      <Suspense fallback={<Skeleton h={60} w={180} />}>
        <DayInput
          label={t("operations.page.from")}
          value={from}
          max={to}
          onDay={(day) => change({ filters: { createdDateFrom: day } })}
        />
        <DayInput
          label={t("operations.page.to")}
          value={to}
          min={from}
          onDay={(day) => change({ filters: { createdDateTo: day } })}
        />
      </Suspense>
    </search>
  );
}

/**
 * Has the lists read again that an operation changed which has ended since this page of the list was opened: another page
 * has other operations.
 */
function useChangedLists(operations: readonly Operation[] | undefined, page: string): void {
  const client = useQueryClient();
  const known = useRef<{ page: string; ended: Set<number> }>(undefined);
  useEffect(() => {
    if (!operations) return;
    const now = operations.filter((operation) => !isUnfinished(operation));
    const before = known.current;
    known.current = { page, ended: new Set(now.map(({ id }) => id)) };
    if (before?.page !== page) return;
    for (const { resource } of now.filter(({ id }) => !before.ended.has(id)))
      for (const queryKey of changedLists(resource)) void client.invalidateQueries({ queryKey });
  }, [client, operations, page]);
}

interface ItemProps {
  of: Operation;
  names: Names;
  onShow: () => void;
  /** The operation that undoes this one has begun. */
  onUndo: (id: number) => void;
}

function Item({ of: operation, names, onShow, onUndo }: ItemProps) {
  const { t } = useTranslation();
  return (
    <li>
      <div className="operation-what">
        <strong>{resourceName(operation.resource)}</strong>
        <span>{textOf(operation, names)}</span>
        <Origin of={operation} />
      </div>
      <div className="operation-result">
        <Progress of={operation} />
        <OperationCounts of={operation} />
      </div>
      <Group gap="xs" className="operation-actions">
        <Button variant="default" size="compact-sm" onClick={onShow}>
          {t("operations.page.details")}
        </Button>
        <WaysBack of={operation} onUndo={onUndo} />
      </Group>
    </li>
  );
}

/** Who began it, and when. */
function Origin({ of: operation }: { of: Operation }) {
  const { t } = useTranslation();
  return (
    <span className="quiet">
      {operation.createdBy} · <span className="tabular">{formatMoment(operation.createdDate)}</span>
      {operation.undoneBy != null && ` · ${t("operations.page.undoneBy", { id: operation.undoneBy })}`}
    </span>
  );
}

/** How far it is. */
function Progress({ of: operation }: { of: Operation }) {
  return (
    <>
      <ToneBadge tone={tones[operation.state]}>{labelOf(OperationState, operation.state)}</ToneBadge>
      {isUnfinished(operation) && (
        <span className="tabular quiet">
          {formatNumber(operation.done)} / {formatNumber(operation.total)}
        </span>
      )}
    </>
  );
}

/** Stops an operation that is under way, or undoes one that has ended. */
function WaysBack({ of: operation, onUndo }: { of: Operation; onUndo: (id: number) => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const cancel = useCancelOperation();
  const undo = useUndoOperation();
  const failed = (problem: Error) => toast.failure(t("operations.page.notDone"), messageOf(problem));
  const changed = operation.counts.changed + operation.counts.created;
  const askToUndo = async () => {
    const { text, isSafe } = undoingOf(operation, await withUndone(client, operation));
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
        onSuccess: (begun) => {
          onUndo(begun.id);
          toast.success(t("operations.page.undoBegun"));
        },
        onError: failed,
      });
  };
  return (
    <>
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
        <Button variant="default" size="compact-sm" loading={undo.isPending} onClick={() => void askToUndo()}>
          {t("operations.undo")}
        </Button>
      )}
    </>
  );
}

/** The fields whose values a change names. */
const shownFields = ({ resource, action }: Operation) => ({
  resource,
  fields: action ? changedFields(action) : [],
});

/** The names of the values that changes have, by resource. */
type Names = (resource: string) => ValueLabel;

/** Rows that the details show of each verdict at first, and more of them at a time. */
const shownRows = 100;

interface OpenedProps {
  id: number;
  /** What the list says of it, where it is on the page that is shown. */
  known: Operation | undefined;
  onUndo: (id: number) => void;
  onClose: () => void;
}

/** The operation that the address leads to, on whatever page of the list it is. */
function Opened({ id, known, onUndo, onClose }: OpenedProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({ ...operationQueries.one(id), placeholderData: known });
  const names = useValueLabels(data ? [shownFields(data)] : []);
  if (data) return <Details of={data} names={names} onUndo={onUndo} onClose={onClose} />;
  return (
    <Dialog title={t("operations.page.one", { id })} onClose={onClose} size="xl">
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

interface DetailsProps {
  of: Operation;
  names: Names;
  onUndo: (id: number) => void;
  onClose: () => void;
}

function Details({ of: operation, names, onUndo, onClose }: DetailsProps) {
  const { t } = useTranslation();
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
      <p>
        {t("operations.page.one", { id: operation.id })} · {resourceName(resource)} ·{" "}
        <Origin of={operation} />
      </p>
      <Group justify="space-between">
        <Group gap="xs">
          <Progress of={operation} />
          <OperationCounts of={operation} />
        </Group>
        <WaysBack of={operation} onUndo={onUndo} />
        {counts.refused + counts.conflicts + counts.missing > 0 && (
          <Button
            component="a"
            {...fileLink(failuresAddress(operation.id))}
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
            isWhole
            {...labels}
          />
        ))}
    </Dialog>
  );
}

/** What an operation does, in one line. */
function textOf({ action, import: file, undoOf, resource }: Operation, names: Names): string {
  if (file) return text("operations.page.import", { file: file.fileName });
  return action
    ? changeText(action, resource, names(resource))
    : text("operations.page.undoes", { id: undoOf ?? "" });
}
