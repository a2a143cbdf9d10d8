// The shared list: heading with its count, search, filters, create, table or cards, footer, and every state
// in between. Fed by whoever knows what is listed.
import { Skeleton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { messageOf } from "../../api/problem";
import { loadPageTexts } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { lazyPart } from "../../loading/lazyPart";
import { ErrorView } from "../ErrorView";
import { PageHeading } from "../PageHeading";
import type { ListAnswer } from "./answer";
import type { Column } from "./columns";
import { DataTable } from "./DataTable";
import { type FilterChoice, headingOf } from "./Filters";
import type AnyCardList from "./lazy/CardList";
import "./list.css";
import { type Create, CreateButton } from "./CreateButton";
import { ListTools } from "./ListTools";
import { Pager } from "./Pager";
import { isKeptCompact } from "./preferences";
import { useChosenColumns } from "./useChosenColumns";
import type { ChangeList, ListState } from "./useListAddress";
import { useExistingPage, useTopOfPage } from "./usePages";
import { useReturn } from "./useReturn";

// A lazy component forgets that it takes rows of any type.
const CardList = lazyPart(() => import("./lazy/CardList")) as unknown as typeof AnyCardList;
const EmptyList = lazyPart(
  async () => (await Promise.all([import("./lazy/EmptyList"), loadPageTexts("empty")]))[0],
);
const UnknownAddress = lazyPart(() => import("./lazy/UnknownAddress"));

interface ListScreenProps<Row> {
  name: string;
  title: string;
  searchLabel: string;
  columns: readonly Column<Row>[];
  answer: ListAnswer<Row>;
  state: ListState;
  change: ChangeList;
  filters?: readonly FilterChoice[];
  create?: Create;
  /** Where one came from, above the title. */
  back?: { to: string; label: string; state?: unknown };
  actions?: (row: Row, leave: () => void) => ReactNode;
  /** The column that opens the row; receives the callback that stores where the list was left. */
  identity: (row: Row, leave: () => void) => ReactNode;
  onIntent?: () => void;
  /** What else there is to do with the whole list, beside the heading. */
  aside?: ReactNode;
  /** What stands between the heading and the list. */
  above?: ReactNode;
}

export function ListScreen<Row extends { id: number | string }>(props: ListScreenProps<Row>) {
  const { name, title, answer, state, change, create } = props;
  const { t } = useTranslation();
  const isNarrow = useIsAtMost(640);
  const isTight = useIsAtMost(991) && !isNarrow;
  const viewport = useRef<HTMLDivElement>(null);
  const leave = useReturn(name, answer.rows !== undefined, viewport);
  const { shown, chooser } = useChosenColumns(
    name,
    isTight ? props.columns.filter((column) => !column.needsRoom) : props.columns,
  );
  const [isCompact, setCompact] = useState(isKeptCompact);
  const columns = shown.map((column) =>
    column.isIdentity
      ? { ...column, render: (row: Row) => props.identity(row, () => leave(row.id)) }
      : column,
  );
  useExistingPage(answer, state, change);

  useTopOfPage(viewport, state.page, answer.isStale);

  const actions = props.actions && ((row: Row) => props.actions?.(row, () => leave(row.id)));
  const isFiltered = state.search !== "" || Object.values(state.filters).some((value) => value !== "");
  const shape = {
    label: title,
    columns,
    rows: answer.rows,
    skeletonRows: Math.min(state.size, 10),
    isStale: answer.isStale,
    actions,
  };
  const hasFailed = answer.error !== null;
  const isQuestionable = useHadAddress();

  return (
    <>
      <PageHeading
        title={headingOf(title, props.filters ?? [], state.filters)}
        back={props.back}
        count={answer.total}
        isCounting={answer.total === undefined && answer.error === null}
        countLabel={answer.total === undefined ? undefined : t("list.results", { count: answer.total })}
        actions={
          <>
            {props.aside}
            {create && <CreateButton {...create} />}
          </>
        }
      />
      {isQuestionable && (
        <Suspense fallback={null}>
          <UnknownAddress
            sortable={props.columns.filter(({ sortable }) => sortable).map(({ key }) => key)}
            filters={props.filters ?? []}
          />
        </Suspense>
      )}
      {props.above}
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
      />
      <output className="visually-hidden" aria-live="polite">
        {!answer.isStale && answer.total !== undefined
          ? t("list.found", { count: answer.total, number: formatNumber(answer.total) })
          : ""}
      </output>
      {hasFailed ? (
        <ErrorView title={t("list.failed")} message={messageOf(answer.error)} onRetry={answer.retry} />
      ) : answer.rows?.length === 0 ? (
        <Suspense fallback={<div className="empty" />}>
          <EmptyList
            name={name}
            isSearch={state.search !== ""}
            isFiltered={isFiltered}
            change={change}
            filters={Object.keys(state.filters)}
            create={create}
          />
        </Suspense>
      ) : (
        <>
          {isNarrow ? (
            // As high as the screen, so that the pager does not move when the cards are there.
            <Suspense fallback={<div style={{ minHeight: "100vh" }} />}>
              <CardList {...shape} />
            </Suspense>
          ) : (
            <DataTable
              {...shape}
              isCompact={isCompact}
              sort={state.sort}
              onSort={(sort) => change({ sort })}
              viewport={viewport}
            />
          )}
          {answer.total === undefined ? (
            <div className="pager">
              <Skeleton h={36} />
            </div>
          ) : (
            <Pager
              page={state.page}
              size={state.size}
              total={answer.total}
              shown={answer.shown}
              onPage={(page) => change({ page })}
              onSize={(size) => change({ size })}
              onIntent={props.onIntent}
            />
          )}
        </>
      )}
    </>
  );
}

/** Whether the address has parameters of the list: only then one can be wrong. */
function useHadAddress(): boolean {
  const { search } = useLocation();
  const [had, setHad] = useState(search !== "");
  if (search !== "" && !had) setHad(true);
  return had;
}

/** Known from the first rendering on: nothing is drawn for a screen that it is not on. */
function useIsAtMost(width: number): boolean {
  return useMediaQuery(`(max-width: ${width}px)`, undefined, { getInitialValueInEffect: false }) ?? false;
}
