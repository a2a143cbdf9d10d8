// A list that is shown whole: a table, or cards on a narrow screen. No search, order or pages.
import { type ReactNode, useRef } from "react";
import type { Column } from "./columns";
import { DataTable } from "./DataTable";
import CardList from "./lazy/CardList";
import "./list.css";
import { useIsAtMost } from "./useIsAtMost";

interface ShortListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  actions?: (row: Row) => ReactNode;
  /** How wide the column of actions is; enough for three icons, unless said otherwise. */
  actionsWidth?: string;
}

export function ShortList<Row extends { id: number | string }>(props: ShortListProps<Row>) {
  const isNarrow = useIsAtMost(640);
  const viewport = useRef<HTMLElement>(null);
  const rows = { ...props, skeletonRows: 0, isStale: false };
  // Not downloaded by itself: what stands below would move when it arrives.
  if (isNarrow) return <CardList {...rows} />;
  return <DataTable {...rows} isCompact={false} sort="" onSort={() => {}} viewport={viewport} />;
}
