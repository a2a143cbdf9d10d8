// What stands in a row of the schedule, from the beginning of a span to its end without a hole: programmes, times without one,
// times that are on their way.
import type { Programme, Row } from "./queries";

/** A longer time without a programme is shown as one. */
const shortest = 60_000;

interface Cell {
  from: number;
  to: number;
  /** None: nothing is known of this time, or it is still on its way. */
  programme?: Programme;
  isLoading?: boolean;
}

/** A part of the span that was read, or that is on its way. */
export interface Part {
  from: number;
  to: number;
  row: Row | undefined;
}

/** The cells of a row, by time. Programmes are cut where the next one begins and at the ends of the span. */
export function cellsOf(parts: readonly Part[]): Cell[] {
  const cells: Cell[] = [];
  const end = parts.at(-1)?.to ?? 0;
  let at = parts[0]?.from ?? 0;
  for (const { from, to, row } of parts) {
    if (!row) {
      const start = Math.max(at, from);
      if (to > start) cells.push({ from: start, to, isLoading: true });
      at = Math.max(at, to);
      continue;
    }
    for (const [index, programme] of row.programmes.entries()) {
      const next = row.programmes[index + 1];
      const start = Math.max(Date.parse(programme.start), at);
      const stop = Math.min(
        Date.parse(programme.stop),
        next ? Date.parse(next.start) : Number.POSITIVE_INFINITY,
        end,
      );
      if (stop <= start) continue;
      if (start - at > shortest) cells.push({ from: at, to: start });
      cells.push({ from: start, to: stop, programme });
      at = stop;
    }
    if (to - at > shortest) {
      cells.push({ from: at, to });
      at = to;
    }
  }
  return cells;
}

/** The cell at a moment, or the nearest. */
export function cellAt(cells: readonly Cell[], moment: number): Cell | undefined {
  return cells.find(({ to }) => to > moment) ?? cells.at(-1);
}
