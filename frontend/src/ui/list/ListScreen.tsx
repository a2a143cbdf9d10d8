// The shared list: heading with its count, search, filters, create, table or cards, footer, and every state
// in between. The feature supplies the data.
import { Skeleton } from "@mantine/core";
import { type ReactNode, type RefObject, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { messageOf } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import { lazyPart } from "../../loading/lazyPart";
import { ErrorView } from "../ErrorView";
import { PageHeading } from "../PageHeading";
import type { ListAnswer } from "./answer";
import type { Column } from "./columns";
import { DataTable, type SelectableRows } from "./DataTable";
import { headingOf } from "./Filters";
import type { FilterChoice } from "./filter";
import "./list.css";
import { CardSkeletons } from "./CardSkeletons";
import { type Create, CreateButton } from "./CreateButton";
import { ListTools } from "./ListTools";
import { Pager } from "./Pager";
import { isKeptCompact } from "./preferences";
import { seldomShown } from "./seldomShown";
import type { Cells } from "./useCells";
import { useChosenColumns } from "./useChosenColumns";
import { useIsAtMost } from "./useIsAtMost";
import type { ChangeList, ListState } from "./useListAddress";
import { useExistingPage, useTopOfPage } from "./usePages";
import { useReturn } from "./useReturn";
import { ViewChooser } from "./ViewChooser";

const CardList = lazyPart(() => import("./lazy/CardList"));
const EmptyList = seldomShown(() => import("./lazy/EmptyList"));
const UnknownAddress = seldomShown(() => import("./lazy/UnknownAddress"), { isHint: true });

interface ListScreenProps<Row> {
  name: string;
  title: string;
  /** Without it the list has no search. */
  searchLabel?: string;
  columns: readonly Column<Row>[];
  answer: ListAnswer<Row>;
  state: ListState;
  change: ChangeList;
  filters?: readonly FilterChoice[];
  create?: Create;
  /** Where one came from, above the title. */
  back?: { to: string; label: string; state?: unknown };
  actions?: (row: Row, leave: () => void) => ReactNode;
  /** How wide the column of actions is; enough for three, unless said otherwise. */
  actionsWidth?: string;
  /** The column that opens the row; receives the callback that stores where the list was left. */
  identity: (row: Row, leave: () => void) => ReactNode;
  onIntent?: () => void;
  /** What else there is to do with the whole list, beside the heading. */
  aside?: ReactNode;
  /** What is between the heading and the list. */
  header?: ReactNode;
  selectable?: SelectableRows<Row>;
  /** Values can be edited where they stand; not on cards. */
  cells?: Cells<Row>;
  /** What can be done with the selected rows. */
  selected?: ReactNode;
}

export function ListScreen<Row extends { id: number | string }>(props: ListScreenProps<Row>) {
  const { name, answer, state, change } = props;
  const isNarrow = useIsAtMost(640);
  const isTight = useIsAtMost(991) && !isNarrow;
  const viewport = useRef<HTMLElement>(null);
  const leave = useReturn(name, answer.rows !== undefined, viewport);
  const { shown, hidden, choose, chooser } = useChosenColumns(name, props.columns, isTight);
  const [isCompact, setCompact] = useState(isKeptCompact);
  useExistingPage(answer, state, change);
  useTopOfPage(viewport, state.page, answer.isStale);

  return (
    <>
      <ListHeading {...props} leave={leave} />
      <AddressWarning {...props} />
      {props.header}
      <ListTools
        searchLabel={props.searchLabel}
        columns={props.columns}
        filters={props.filters}
        state={state}
        change={change}
        isNarrow={isNarrow}
        isCompact={isCompact}
        onCompact={setCompact}
        chooser={chooser}
        views={<ViewChooser list={name} size={state.size} hidden={hidden} onHidden={choose} />}
      />
      {props.selected}
      <ResultAnnouncement answer={answer} />
      <ListResult {...props}>
        <ListRows
          {...props}
          shown={shown}
          leave={leave}
          viewport={viewport}
          isNarrow={isNarrow}
          isCompact={isCompact}
        />
        <ListPager {...props} />
      </ListResult>
    </>
  );
}

function ListHeading<Row>(props: ListScreenProps<Row> & { leave: (row: string) => void }) {
  const { answer, create } = props;
  const { t } = useTranslation();
  return (
    <PageHeading
      title={headingOf(props.title, props.filters ?? [], props.state.filters)}
      back={props.back}
      count={answer.total}
      isCounting={answer.total === undefined && answer.error === null}
      countLabel={answer.total === undefined ? undefined : t("list.results", { count: answer.total })}
      actions={
        <>
          {props.aside}
          {create && <CreateButton {...create} onLeave={() => props.leave("")} />}
        </>
      }
    />
  );
}

/** Says which parameters of the address the list does not have. */
function AddressWarning<Row>({ columns, filters = [] }: ListScreenProps<Row>) {
  if (!useHadAddress()) return null;
  return (
    <Suspense fallback={null}>
      <UnknownAddress
        sortable={columns.filter(({ sortable }) => sortable).map(({ key }) => key)}
        filters={filters}
      />
    </Suspense>
  );
}

/** The number of results for screen readers, after every search. */
function ResultAnnouncement<Row>({ answer }: Pick<ListScreenProps<Row>, "answer">) {
  const { t } = useTranslation();
  return (
    <output className="visually-hidden" aria-live="polite">
      {!answer.isStale && answer.total !== undefined
        ? t("list.found", { count: answer.total, number: formatNumber(answer.total) })
        : ""}
    </output>
  );
}

/** The rows, or why there are none: a failure, an empty list, a search without results. Rows that could not be read again
 * stay, below the failure. */
function ListResult<Row>(props: ListScreenProps<Row> & { children: ReactNode }) {
  const { answer, state } = props;
  const { t } = useTranslation();
  const failure = answer.error !== null && (
    <ErrorView title={t("list.failed")} message={messageOf(answer.error)} onRetry={answer.retry} />
  );
  if (failure || answer.rows?.length !== 0)
    return (
      <>
        {failure}
        {(answer.rows || !failure) && props.children}
      </>
    );
  return (
    <Suspense fallback={<div className="empty" />}>
      <EmptyList
        name={props.name}
        isSearch={state.search !== ""}
        isFiltered={state.search !== "" || Object.values(state.filters).some((value) => value !== "")}
        change={props.change}
        filters={Object.keys(state.filters)}
        create={props.create}
      />
    </Suspense>
  );
}

interface ListRowsProps<Row> extends ListScreenProps<Row> {
  shown: readonly Column<Row>[];
  leave: (id: number | string) => void;
  viewport: RefObject<HTMLElement | null>;
  isNarrow: boolean;
  isCompact: boolean;
}

/** A table, or cards on a narrow screen. */
function ListRows<Row extends { id: number | string }>(props: ListRowsProps<Row>) {
  const { answer, state, leave } = props;
  const leaveAt = (row: Row) => () => leave(row.id);
  const { actions } = props;
  const rows = {
    label: props.title,
    columns: props.shown.map((column) =>
      column.isIdentity ? { ...column, render: (row: Row) => props.identity(row, leaveAt(row)) } : column,
    ),
    rows: answer.rows,
    skeletonRows: Math.min(state.size, 10),
    isStale: answer.isStale,
    actions: actions && ((row: Row) => actions(row, leaveAt(row))),
    selectable: props.selectable,
  };
  if (props.isNarrow)
    return (
      // As high as the screen, so that the pager does not move when the cards are there.
      <Suspense
        fallback={
          <div style={{ minHeight: "100vh" }}>
            <CardSkeletons count={rows.skeletonRows} />
          </div>
        }
      >
        <CardList {...rows} />
      </Suspense>
    );
  return (
    <DataTable
      {...rows}
      actionsWidth={props.actionsWidth}
      cells={props.cells}
      isCompact={props.isCompact}
      sort={state.sort}
      onSort={(sortedBy) => props.change({ sortedBy })}
      viewport={props.viewport}
    />
  );
}

function ListPager<Row>({ answer, state, change, onIntent }: ListScreenProps<Row>) {
  if (answer.total === undefined)
    return (
      <div className="pager">
        <Skeleton h={36} />
      </div>
    );
  return (
    <Pager
      page={state.page}
      size={state.size}
      total={answer.total}
      shown={answer.shown}
      onPage={(page) => change({ page })}
      onSize={(size) => change({ size })}
      onIntent={onIntent}
    />
  );
}

/** Whether the address has parameters of the list: only then one can be wrong. */
function useHadAddress(): boolean {
  const { search } = useLocation();
  const [had, setHad] = useState(search !== "");
  if (search !== "" && !had) setHad(true);
  return had;
}
