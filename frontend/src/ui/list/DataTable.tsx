// The table of a list: compact, with a fixed header and skeleton rows of the final height while loading. Independent of the
// meaning of columns and rows.
import { Skeleton } from "@mantine/core";
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { AscendingIcon, DescendingIcon, SortableIcon } from "../icons";
import { type Column, sortDirection } from "./columns";
import { SelectPage, SelectRow } from "./SelectBox";
import type { Cells } from "./useCells";
import type { RowId, Selection } from "./useSelection";

/** Rows can be selected; each is called by its name. */
export interface SelectableRows<Row> {
  selection: Selection;
  nameOf: (row: Row) => string;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while nothing has arrived yet. */
  rows: readonly Row[] | undefined;
  skeletonRows: number;
  /** Lower rows: more of them on a screen. */
  isCompact: boolean;
  /** The rows shown are the old ones; the new are on their way. */
  isStale: boolean;
  sort: string;
  /** The header of this column was pressed. */
  onSort: (key: string) => void;
  actions?: (row: Row) => ReactNode;
  /** How wide the column of actions is; enough for three, unless said otherwise. */
  actionsWidth?: string;
  selectable?: SelectableRows<Row>;
  /** Values can be edited where they stand. */
  cells?: Cells<Row>;
  viewport: RefObject<HTMLElement | null>;
}

export function DataTable<Row extends { id: number | string }>(props: DataTableProps<Row>) {
  const { columns, rows, skeletonRows, isCompact, isStale, actions, selectable, cells, viewport } = props;
  const actionsWidth = actions && (props.actionsWidth ?? "8rem");
  const hasMore = useHasMoreBeside(viewport);
  const page = rows?.map(({ id }) => id) ?? [];
  const waiting = Array.from({ length: rows ? 0 : skeletonRows }, (_, index) => index);

  return (
    <div
      className="table-frame"
      style={{ "--table-min-width": minWidthFor(columns, actionsWidth, selectable) } as CSSProperties}
      data-compact={isCompact || undefined}
      data-stale={isStale || undefined}
      data-more={hasMore || undefined}
      aria-busy={isStale || rows === undefined}
    >
      {/* The keyboard scrolls it, too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable */}
      <section ref={viewport} className="table-viewport" aria-label={props.label} tabIndex={0}>
        {/* Elements of HTML: Mantine's table brings 8 kB with it and a component for each cell. */}
        <table aria-label={props.label}>
          <Heading {...props} actionsWidth={actionsWidth} page={page} />
          <tbody onKeyDown={cells?.onKeyDown}>
            {waiting.map((index) => (
              <tr key={index}>
                {selectable && <td />}
                {columns.map((column) => (
                  <td key={column.key}>
                    <Skeleton h={20} />
                  </td>
                ))}
                {actions && (
                  <td data-pinned>
                    <Skeleton h={20} w={60} ml="auto" />
                  </td>
                )}
              </tr>
            ))}
            {rows?.map((row) => (
              <tr key={row.id}>
                {selectable && (
                  <td>
                    <SelectRow
                      selection={selectable.selection}
                      id={row.id}
                      page={page}
                      name={selectable.nameOf(row)}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td
                    key={column.key}
                    data-align={column.align}
                    className={column.align === "right" ? "tabular" : undefined}
                    {...cells?.propsOf(row, column)}
                  >
                    {cells?.editorOf(row, column) ?? column.render(row)}
                  </td>
                ))}
                {actions && (
                  <td data-pinned data-align="right">
                    {actions(row)}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

interface HeadingProps<Row>
  extends Pick<DataTableProps<Row>, "columns" | "sort" | "onSort" | "actionsWidth" | "selectable"> {
  page: readonly RowId[];
}

function Heading<Row>({ columns, sort, onSort, actionsWidth, selectable, page }: HeadingProps<Row>) {
  const { t } = useTranslation();
  return (
    <thead>
      <tr>
        {selectable && (
          <th style={{ width: selectionWidth }}>
            <SelectPage selection={selectable.selection} page={page} />
          </th>
        )}
        {columns.map((column) => (
          <th
            key={column.key}
            data-align={column.align}
            style={{ width: column.width }}
            aria-sort={sortDirection(column.key, sort)}
            title={column.label}
          >
            {column.sortable ? <SortHeader column={column} sort={sort} onSort={onSort} /> : column.label}
          </th>
        ))}
        {actionsWidth && (
          <th data-pinned style={{ width: actionsWidth }}>
            <span className="visually-hidden">{t("list.actions")}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

/** Whether columns are hidden beside the ones that are shown. */
function useHasMoreBeside(viewport: RefObject<HTMLElement | null>): boolean {
  const [hasMore, setHasMore] = useState(false);
  useEffect(() => {
    const element = viewport.current;
    if (!element) return;
    const look = () => setHasMore(element.scrollLeft + element.clientWidth < element.scrollWidth - 1);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    // A column that is shown or hidden changes the width of the table, not of what is seen of it.
    for (const table of element.children) observer.observe(table);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [viewport]);
  return hasMore;
}

const selectionWidth = "2.25rem";

/** The least that the table needs; with less, it scrolls under its actions. */
function minWidthFor(
  columns: readonly Pick<Column<never>, "width" | "minWidth">[],
  actionsWidth: string | undefined,
  selectable: unknown,
): string {
  const widths = columns.map(({ width, minWidth = "13rem" }) => width ?? minWidth);
  if (actionsWidth) widths.push(actionsWidth);
  if (selectable) widths.push(selectionWidth);
  return `calc(${widths.join(" + ")})`;
}

interface SortHeaderProps {
  column: { key: string; label: string };
  sort: string;
  onSort: (key: string) => void;
}

function SortHeader({ column, sort, onSort }: SortHeaderProps) {
  const direction = sortDirection(column.key, sort);
  const Icon =
    direction === "ascending" ? AscendingIcon : direction === "descending" ? DescendingIcon : SortableIcon;
  return (
    <button type="button" className="sort-header" data-sorted={direction} onClick={() => onSort(column.key)}>
      <span>{column.label}</span>
      <Icon size={14} />
    </button>
  );
}
