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

interface Timed {
  from: number;
  to: number;
  programme: Programme;
}

/**
 * The cells of a row, by time, cut at the ends of the span. Of programmes that overlap, the one that began last is shown; what
 * lasts longer goes on behind it.
 */
export function cellsOf(parts: readonly Part[]): Cell[] {
  const cells: Cell[] = [];
  let at = parts[0]?.from ?? 0;
  const shown = shownOf(parts, at, parts.at(-1)?.to ?? 0);
  let index = 0;
  for (const { to, row } of parts) {
    const fill = (until: number) => {
      if (until - at <= (row ? shortest : 0)) return;
      cells.push({ from: at, to: until, ...(!row && { isLoading: true }) });
      at = until;
    };
    for (let cell = shown[index]; cell && cell.from < to; cell = shown[++index]) {
      fill(cell.from);
      cells.push(cell);
      at = cell.to;
    }
    fill(to);
  }
  return cells;
}

/** The programmes of a row with the times at which each is shown. */
function shownOf(parts: readonly Part[], start: number, end: number): Timed[] {
  const all = parts
    .flatMap(({ row }) => row?.programmes ?? [])
    .map((programme) => ({ from: Date.parse(programme.start), to: Date.parse(programme.stop), programme }))
    .sort((one, other) => one.from - other.from);
  const shown: Timed[] = [];
  /** Programmes that have begun, the last one at the end. */
  const begun: Timed[] = [];
  for (const [index, one] of all.entries()) {
    begun.push(one);
    const next = all[index + 1]?.from ?? end;
    let at = Math.max(one.from, start);
    for (let last = begun.at(-1); last; last = begun.at(-1)) {
      const to = Math.min(last.to, next, end);
      if (to > at) {
        shown.push({ from: at, to, programme: last.programme });
        at = to;
      }
      if (last.to > next) break;
      begun.pop();
    }
  }
  return shown;
}

/** The cell at a moment, or the nearest. */
export function cellAt(cells: readonly Cell[], moment: number): Cell | undefined {
  return cells.find(({ to }) => to > moment) ?? cells.at(-1);
}
