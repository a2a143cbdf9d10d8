// A list that is shown whole: a table, or cards on a narrow screen. No search, order or pages.
import { type ReactNode, Suspense, useRef } from "react";
import { lazyPart } from "../../loading/lazyPart";
import type { Column } from "./columns";
import { DataTable } from "./DataTable";
import "./list.css";
import { useIsAtMost } from "./useIsAtMost";

const CardList = lazyPart(() => import("./lazy/CardList"));

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
  if (isNarrow)
    return (
      <Suspense fallback={null}>
        <CardList {...rows} />
      </Suspense>
    );
  return <DataTable {...rows} isCompact={false} sort="" onSort={() => {}} viewport={viewport} />;
}
