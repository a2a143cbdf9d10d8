// Keyboard navigation of the grid: left and right within a channel, up and down at the same time.
import type { KeyboardEvent } from "react";
import { cellAt, cellsOf } from "./cells";
import type { Blocks, Rows } from "./useSchedule";

/** A position in the grid: a row and a time. */
export interface Place {
  row: number;
  at: number;
}

/** The position that a key moves to; `open` for a key that opens the programme. */
export function stepOf(
  event: KeyboardEvent,
  { row, at }: Place,
  schedule: Rows,
  span: Blocks,
  count: number,
  page: number,
): Place | "open" | undefined {
  // Shortcuts of the browser, such as back and forward.
  if (event.altKey || event.metaKey) return undefined;
  const cells = cellsOf(schedule.parts(row));
  const here = cellAt(cells, at);
  const index = here ? cells.indexOf(here) : -1;
  const inRow = (to: number) => ({ row: Math.max(0, Math.min(count - 1, to)), at });
  switch (event.key) {
    case "ArrowRight": {
      const next = cells[index + 1];
      return next ? { row, at: next.from } : { row, at };
    }
    case "ArrowLeft": {
      const before = cells[index - 1];
      return before ? { row, at: before.from } : { row, at };
    }
    case "ArrowDown":
      return inRow(row + 1);
    case "ArrowUp":
      return inRow(row - 1);
    case "PageDown":
      return inRow(row + page);
    case "PageUp":
      return inRow(row - page);
    case "Home":
      return event.ctrlKey ? { row: 0, at: span.from } : { row, at: span.from };
    case "End":
      return event.ctrlKey ? { row: count - 1, at } : { row, at: cells.at(-1)?.from ?? at };
    case "Enter":
    case " ":
      // Keys on a link of the row keep their default action.
      return (event.target as HTMLElement).closest("a") ? undefined : "open";
    default:
      return undefined;
  }
}
