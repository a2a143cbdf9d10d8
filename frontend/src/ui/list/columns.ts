// The definition of a list's column. The column renders its values; the list decides on order and visibility.
import type { ReactNode } from "react";

export interface Column<Row> {
  key: string;
  label: string;
  render: (row: Row) => ReactNode;
  sortable?: boolean;
  align?: "left" | "right";
  /** Fixed width; the identity column fills the rest. */
  width?: string;
  /** The least of a column that fills the rest. */
  minWidth?: string;
  /** Cannot be hidden: it identifies the row. */
  isIdentity?: boolean;
  /** Hidden by default. */
  isOptional?: boolean;
  /** Whether the value is also on the card of a small screen. */
  onCard?: boolean;
  /** Columns of the file that it shows some rows of, beside the one of its key. */
  inFile?: readonly string[];
  /** The field that is edited in its cells. */
  edits?: string;
  /** Left out of a table on a tablet, where the identity column would be too narrow. */
  needsRoom?: boolean;
}

/** Clicking a header goes ascending, descending, and back to the list's own order; where that is descending, ascending. */
export function nextSort(key: string, sort: string, own: string): string {
  if (sort === key) return `-${key}`;
  return sort === `-${key}` && own !== sort ? "" : key;
}

export function sortDirection(key: string, sort: string): "ascending" | "descending" | undefined {
  if (sort === key) return "ascending";
  return sort === `-${key}` ? "descending" : undefined;
}
