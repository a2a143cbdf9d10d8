// The table of a list: compact, its header in place, rows of the final shape while they are on their way.
// Knows columns and rows; what they mean is not its business.
import { Skeleton, Table } from "@mantine/core";
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { AscendingIcon, DescendingIcon, SortableIcon } from "../icons";
import { type Column, nextSort, sortDirection } from "./columns";
import { SelectPage, SelectRow } from "./SelectBox";
import type { Selection } from "./useSelection";

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
  onSort: (sort: string) => void;
  actions?: (row: Row) => ReactNode;
  selectable?: SelectableRows<Row>;
  viewport: RefObject<HTMLElement | null>;
}

export function DataTable<Row extends { id: number | string }>(props: DataTableProps<Row>) {
  const { columns, rows, skeletonRows, isCompact, isStale, actions, selectable, viewport } = props;
  const hasMore = useHasMoreBeside(viewport);
  const page = rows?.map(({ id }) => Number(id)) ?? [];
  const waiting = Array.from({ length: rows ? 0 : skeletonRows }, (_, index) => index);

  return (
    <div
      className="table-frame"
      style={{ "--table-min-width": minWidthFor(columns, actions, selectable) } as CSSProperties}
      data-compact={isCompact || undefined}
      data-stale={isStale || undefined}
      data-more={hasMore || undefined}
      aria-busy={isStale || rows === undefined}
    >
      {/* The keyboard scrolls it, too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable */}
      <section ref={viewport} className="table-viewport" aria-label={props.label} tabIndex={0}>
        <Table
          aria-label={props.label}
          stickyHeader
          highlightOnHover
          verticalSpacing={0}
          horizontalSpacing="xs"
        >
          <Heading {...props} page={page} />
          <Table.Tbody>
            {waiting.map((index) => (
              <Table.Tr key={index}>
                {selectable && <Table.Td />}
                {columns.map((column) => (
                  <Table.Td key={column.key}>
                    <Skeleton h={20} />
                  </Table.Td>
                ))}
                {actions && (
                  <Table.Td data-pinned>
                    <Skeleton h={20} w={60} ml="auto" />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
            {rows?.map((row) => (
              <Table.Tr key={row.id}>
                {selectable && (
                  <Table.Td>
                    <SelectRow
                      selection={selectable.selection}
                      id={Number(row.id)}
                      page={page}
                      name={selectable.nameOf(row)}
                    />
                  </Table.Td>
                )}
                {columns.map((column) => (
                  <Table.Td
                    key={column.key}
                    ta={column.align}
                    className={column.align === "right" ? "tabular" : undefined}
                  >
                    {column.render(row)}
                  </Table.Td>
                ))}
                {actions && (
                  <Table.Td data-pinned ta="right">
                    {actions(row)}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </div>
  );
}

interface HeadingProps<Row>
  extends Pick<DataTableProps<Row>, "columns" | "sort" | "onSort" | "actions" | "selectable"> {
  page: readonly number[];
}

function Heading<Row>({ columns, sort, onSort, actions, selectable, page }: HeadingProps<Row>) {
  const { t } = useTranslation();
  return (
    <Table.Thead>
      <Table.Tr>
        {selectable && (
          <Table.Th w={selectionWidth}>
            <SelectPage selection={selectable.selection} page={page} />
          </Table.Th>
        )}
        {columns.map((column) => (
          <Table.Th
            key={column.key}
            ta={column.align}
            w={column.width}
            aria-sort={sortDirection(column.key, sort)}
          >
            {column.sortable ? <SortHeader column={column} sort={sort} onSort={onSort} /> : column.label}
          </Table.Th>
        ))}
        {actions && (
          <Table.Th data-pinned w={actionsWidth}>
            <span className="visually-hidden">{t("list.actions")}</span>
          </Table.Th>
        )}
      </Table.Tr>
    </Table.Thead>
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
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [viewport]);
  return hasMore;
}

const actionsWidth = "8rem";
const selectionWidth = "2.25rem";

/** The least that the table needs; with less, it scrolls under its actions. */
function minWidthFor(columns: readonly { width?: string }[], actions: unknown, selectable: unknown): string {
  const widths = columns.map(({ width }) => width ?? "13rem");
  if (actions) widths.push(actionsWidth);
  if (selectable) widths.push(selectionWidth);
  return `calc(${widths.join(" + ")})`;
}

interface SortHeaderProps {
  column: { key: string; label: string };
  sort: string;
  onSort: (sort: string) => void;
}

export function SortHeader({ column, sort, onSort }: SortHeaderProps) {
  const direction = sortDirection(column.key, sort);
  const Icon =
    direction === "ascending" ? AscendingIcon : direction === "descending" ? DescendingIcon : SortableIcon;
  return (
    <button
      type="button"
      className="sort-header"
      data-sorted={direction}
      onClick={() => onSort(nextSort(column.key, sort))}
    >
      {column.label}
      <Icon size={14} />
    </button>
  );
}
