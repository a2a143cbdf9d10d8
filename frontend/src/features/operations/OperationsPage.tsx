// Bulk operations, newest first unless sorted: who changed what of how many items, how far it is, and the way back. The address may lead to
// one of them.
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { kinds } from "../../access/kinds";
import { isAdmin } from "../../access/permissions";
import { useUser } from "../../access/session";
import { OperationState } from "../../api/enums/OperationState.gen";
import { optionsOf } from "../../i18n/enums";
import { changedLists } from "../../operations/changedLists";
import { isUnfinished, type Operation, operationQueries } from "../../operations/queries";
import { resourceName } from "../../operations/resources";
import { useAddress } from "../../routing/useAddress";
import { ViewIcon } from "../../ui/icons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import type { FilterChoice } from "../../ui/list/filter";
import { ListScreen } from "../../ui/list/ListScreen";
import { fromAddress, listQuery, numberInAddress } from "../../ui/list/listQuery";
import { seldomShown } from "../../ui/list/seldomShown";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { operationColumns } from "./columns";
import { OperationDialog } from "./OperationDialog";
import { UndoneBy } from "./states";
import { textOf, useNames } from "./texts";
import { useWaysBack } from "./useWaysBack";
import "./operations-page.css";

const DayRange = seldomShown(() => import("../../forms/DayRange"));

const defaults = {
  name: "operations",
  size: 25,
  filters: ["resource", "state", "createdBy", "createdDateFrom", "createdDateTo"],
};

export default function OperationsPage() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { state, change } = useListAddress(defaults);
  const filters = fromAddress(state.filters);
  const { _sort } = listQuery(state);
  const queryOf = (page: number) =>
    operationQueries.list({ _page: page, _size: state.size, _sort, ...filters });
  const list = useQuery(queryOf(state.page));
  const { data, isPlaceholderData } = list;
  const rows = data?.content ?? [];
  const [undoing, setUndoing] = useState<readonly number[]>([]);
  const followUndo = useCallback(
    (id: number) => setUndoing((before) => (before.includes(id) ? before : [...before, id])),
    [],
  );
  // The list need not show them: it may have filters, or another page.
  const undos = useQueries({ queries: undoing.map((id) => operationQueries.one(id)) });
  const known = [...rows, ...undos.flatMap((undo) => undo.data ?? [])];
  useChangedLists(
    isPlaceholderData || !data ? undefined : known,
    JSON.stringify([state.page, state.size, _sort, filters]),
  );
  const { opened, open, addressOf } = useOpened();
  const names = useNames(rows);
  const choices = useFilters(state.filters);
  const columns = useInLanguage(operationColumns);
  return (
    <>
      <ListScreen<Operation>
        name={defaults.name}
        title={t("pages.operations")}
        columns={columns}
        filters={choices}
        state={state}
        change={change}
        answer={answerOf(list)}
        aside={
          <ListExport
            list={defaults.name}
            file="spreadsheets/operations"
            query={{ _sort, ...filters }}
            total={data?.totalElements}
            columns={columns}
          />
        }
        identity={(operation) => (
          <span className="operation-what">
            <Link to={addressOf(operation.id)} preventScrollReset data-row={operation.id}>
              {textOf(operation, names)}
            </Link>
            <span className="quiet">
              {t("operations.page.one", { id: operation.id })} · {resourceName(operation.resource)}
              <UndoneBy of={operation} />
            </span>
          </span>
        )}
        actionsWidth="6rem"
        actions={(operation) => (
          <Actions of={operation} onShow={() => open(operation.id)} onUndo={followUndo} />
        )}
        onIntent={() => {
          if (state.page + 1 < (data?.totalPages ?? 0)) void client.prefetchQuery(queryOf(state.page + 1));
        }}
      />
      {opened !== undefined && (
        <OperationDialog
          key={opened}
          id={opened}
          known={rows.find(({ id }) => id === opened)}
          undo={lastUndoOf(opened, known)}
          addressOf={addressOf}
          onUndo={followUndo}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

/** One that changed nothing is not named by the operation that it was to undo. */
function lastUndoOf(operation: number, known: readonly Operation[]): Operation | undefined {
  return known.filter(({ undoOf }) => undoOf === operation).toSorted((one, other) => other.id - one.id)[0];
}

/** Which operation the address leads to, beside the list. */
function useOpened() {
  const [address, setAddress] = useAddress();
  const { search } = useLocation();
  const open = (id: number | undefined) =>
    setAddress((before) => withOperation(before, id), {
      replace: id === undefined,
      preventScrollReset: true,
    });
  return {
    opened: numberInAddress(address.get("operation") ?? undefined),
    open,
    /** The list as it is shown, with an operation. */
    addressOf: (id: number) => ({ search: withOperation(new URLSearchParams(search), id).toString() }),
  };
}

function withOperation(address: URLSearchParams, id: number | undefined): URLSearchParams {
  const after = new URLSearchParams(address);
  if (id === undefined) after.delete("operation");
  else after.set("operation", String(id));
  return after;
}

function useFilters({ createdBy }: Record<string, string>): FilterChoice[] {
  const { t } = useTranslation();
  const ofAdmins = isAdmin(useUser());
  const resources = [...kinds, "seasons", "episodes", ...(ofAdmins ? ["users"] : []), "issue-reports"];
  return [
    {
      key: "resource",
      label: t("operations.page.resource"),
      options: resources.map((value) => ({ value, label: resourceName(value) })),
    },
    { key: "state", label: t("operations.page.state"), options: optionsOf(OperationState) },
    // Only admins see the operations of others.
    ...(ofAdmins || createdBy
      ? [{ key: "createdBy", label: t("operations.page.startedBy"), input: "text" as const, options: [] }]
      : []),
    {
      key: "createdDate",
      label: t("operations.page.createdDate"),
      input: "days",
      options: [],
      Panel: DayRange,
    },
  ];
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

interface ActionsProps {
  of: Operation;
  onShow: () => void;
  /** The operation that undoes this one has begun. */
  onUndo: (id: number) => void;
}

function Actions({ of: operation, onShow, onUndo }: ActionsProps) {
  const { t } = useTranslation();
  const { id } = operation;
  const details = {
    label: t("operations.page.detailsOf", { id }),
    verb: t("operations.page.details"),
    Icon: ViewIcon,
    onClick: onShow,
  };
  return (
    <ActionButtons
      name={t("operations.page.one", { id })}
      actions={[details, ...useWaysBack(operation, onUndo)]}
    />
  );
}
