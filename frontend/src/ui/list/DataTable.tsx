// The table of a list: compact, its header in place, rows of the final shape while they are on their way.
// Knows columns and rows; what they mean is not its business.
import { Skeleton } from "@mantine/core";
import { DataTable as MantineTable } from "mantine-datatable";
import "mantine-datatable/styles.layer.css";
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { AscendingIcon, DescendingIcon, SortableIcon } from "../icons";
import { type Column, nextSort, sortDirection } from "./columns";

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
  viewport: RefObject<HTMLDivElement | null>;
}

interface Waiting {
  id: string;
}

export function DataTable<Row extends { id: number | string }>(props: DataTableProps<Row>) {
  const { columns, rows, skeletonRows, isCompact, isStale, sort, onSort, actions, viewport } = props;
  const { t } = useTranslation();
  const table = useRef<HTMLTableElement>(null);
  const waiting: Waiting[] = Array.from({ length: skeletonRows }, (_, index) => ({ id: `waiting-${index}` }));

  // The library has no word for the order of a column; screen readers need one.
  useEffect(() => {
    for (const header of table.current?.querySelectorAll("th[data-accessor]") ?? []) {
      const direction = sortDirection(header.getAttribute("data-accessor") ?? "", sort);
      if (direction) header.setAttribute("aria-sort", direction);
      else header.removeAttribute("aria-sort");
    }
  });

  return (
    <div
      className="table-frame"
      style={{ "--table-min-width": minWidthFor(columns, actions !== undefined) } as CSSProperties}
      data-compact={isCompact || undefined}
      data-stale={isStale || undefined}
      aria-busy={isStale || rows === undefined}
    >
      <MantineTable<Row | Waiting>
        tableRef={table as RefObject<HTMLTableElement>}
        aria-label={props.label}
        withTableBorder
        borderRadius="md"
        highlightOnHover
        pinLastColumn={actions !== undefined}
        verticalSpacing={0}
        horizontalSpacing="xs"
        verticalAlign="center"
        maxHeight="max(24rem, calc(100dvh - 15rem))"
        scrollViewportRef={viewport}
        scrollAreaProps={{
          viewportProps: { tabIndex: 0, role: "region", "aria-label": props.label } as object,
        }}
        noRecordsText=""
        emptyState={<span />}
        minHeight={rows?.length === 0 ? 0 : undefined}
        records={[...(rows ?? waiting)]}
        columns={[
          ...columns.map((column) => ({
            accessor: column.key,
            textAlign: column.align,
            width: column.width,
            cellsClassName: column.align === "right" ? "tabular" : undefined,
            title: column.sortable ? (
              <SortHeader column={column} sort={sort} onSort={onSort} />
            ) : (
              column.label
            ),
            render: (row: Row | Waiting) => (isWaiting(row) ? <Skeleton h={20} /> : column.render(row)),
          })),
          ...(actions
            ? [
                {
                  accessor: "__actions",
                  title: <span className="visually-hidden">{t("list.actions")}</span>,
                  textAlign: "right" as const,
                  width: actionsWidth,
                  render: (row: Row | Waiting) =>
                    isWaiting(row) ? <Skeleton h={20} w={60} ml="auto" /> : actions(row),
                },
              ]
            : []),
        ]}
      />
    </div>
  );
}

const actionsWidth = "8rem";

/** The least that the table needs; with less, it scrolls under its actions. */
function minWidthFor(columns: readonly { width?: string }[], hasActions: boolean): string {
  const widths = columns.map(({ width }) => width ?? "13rem");
  return `calc(${[...widths, ...(hasActions ? [actionsWidth] : [])].join(" + ")})`;
}

function isWaiting(row: { id: number | string }): row is Waiting {
  return typeof row.id === "string" && row.id.startsWith("waiting-");
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
