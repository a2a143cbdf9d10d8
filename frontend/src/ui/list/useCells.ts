// Cells with inline editing: which one is being edited, and its keys.
import { type HTMLAttributes, type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import type { Column } from "./columns";

interface Cell {
  row: number | string;
  /** Of the column. */
  key: string;
}

export interface EditorProps<Row> {
  row: Row;
  column: Column<Row>;
  /** Goes to the cell so many rows further, or stays. */
  onDone: (rows: -1 | 0 | 1) => void;
}

export interface Cells<Row> {
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  propsOf: (row: Row, column: Column<Row>) => HTMLAttributes<HTMLElement> | undefined;
  editorOf: (row: Row, column: Column<Row>) => ReactNode;
}

const steps: Record<string, [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** `help` says at each cell how it is edited. */
export function useCells<Row extends { id: number | string }>(
  rows: readonly Row[] | undefined,
  help: string,
  editor: (props: EditorProps<Row>) => ReactNode,
): Cells<Row> {
  const [edited, setEdited] = useState<Cell>();
  const isEdited = (row: Row, { key }: Column<Row>) => edited?.row === row.id && edited.key === key;
  const latest = useRef(rows);
  latest.current = rows;
  const done = (cell: Cell, by: number) => {
    // The rows as they were when the key was pressed; while the value was saved some may have left the list.
    const at = rows?.findIndex(({ id }) => id === cell.row) ?? -1;
    const after = at < 0 ? [] : (rows?.slice(at + 1) ?? []);
    const before = rows?.slice(0, Math.max(at, 0)).reverse() ?? [];
    const isThere = (row: Pick<Row, "id">) => latest.current?.some(({ id }) => id === row.id);
    const next = by === 0 ? undefined : (by > 0 ? after : before).find(isThere);
    // Another cell may be edited since: its editor stays.
    const isStill = (now: Cell | undefined) => now?.row === cell.row && now.key === cell.key;
    setEdited((now) => (isStill(now) ? next && { ...cell, row: next.id } : now));
    // Where it ends, the cell takes the focus: the keys go on from there, unless they go somewhere else already.
    if (!next)
      setTimeout(() => {
        const nearest = [{ id: cell.row }, ...after, ...before].find(isThere);
        const element = nearest && cellElement({ ...cell, row: nearest.id });
        const focused = document.activeElement;
        if (!focused || focused === document.body || element?.contains(focused)) element?.focus();
      });
  };
  return {
    propsOf: (row, column) =>
      column.edits === undefined
        ? undefined
        : {
            ...{ "data-cell": `${row.id} ${column.key}` },
            tabIndex: -1,
            title: isEdited(row, column) ? undefined : help,
            onDoubleClick: () => setEdited({ row: row.id, key: column.key }),
          },
    editorOf: (row, column) =>
      isEdited(row, column)
        ? editor({ row, column, onDone: (by) => done({ row: row.id, key: column.key }, by) })
        : undefined,
    onKeyDown: (event) => {
      const element = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(element)) return;
      const line = element.closest("tr");
      const own = element.closest<HTMLElement>("[data-cell]");
      const cells = [...(line?.querySelectorAll<HTMLElement>("[data-cell]") ?? [])];
      if (event.key.toLowerCase() === "e") {
        const cell = own ?? cells[0];
        const [row, key] = cell?.dataset.cell?.split(" ") ?? [];
        const found = rows?.find(({ id }) => String(id) === row);
        if (!found || !key) return;
        event.preventDefault();
        setEdited({ row: found.id, key });
      } else if (element === own && steps[event.key]) {
        event.preventDefault();
        const [down, right] = steps[event.key] as [number, number];
        const target = down < 0 ? line?.previousElementSibling : down > 0 ? line?.nextElementSibling : line;
        target?.querySelectorAll<HTMLElement>("[data-cell]")[cells.indexOf(own) + right]?.focus();
      }
    },
  };
}

function cellElement({ row, key }: Cell): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-cell="${CSS.escape(`${row} ${key}`)}"]`);
}

/** Letters belong to what is written in; a checkbox takes none. */
function isWriting(element: HTMLElement): boolean {
  return element.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
}
