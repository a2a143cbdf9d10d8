import { expect, test } from "vitest";
import { cellAt, cellsOf } from "./cells";
import type { Row } from "./queries";

const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
const row = (...programmes: [number, number, string][]) =>
  ({
    programmes: programmes.map(([start, stop, title]) => ({ start: at(start), stop: at(stop), title })),
  }) as Row;
const seen = (parts: [number, number, Row | undefined][]) =>
  cellsOf(parts.map(([from, to, of]) => ({ from: from * 60_000, to: to * 60_000, row: of }))).map(
    ({ from, to, programme, isLoading }) => [
      from / 60_000,
      to / 60_000,
      programme?.title ?? (isLoading ? "…" : "-"),
    ],
  );

test("a row has no hole: programmes, times without one, times on their way", () => {
  const first = row([-30, 30, "a"], [30, 60, "b"], [100, 380, "c"]);
  const second = row([100, 380, "c"], [380, 400, "d"]);
  expect(
    seen([
      [0, 360, first],
      [360, 720, second],
      [720, 1080, undefined],
    ]),
  ).toEqual([
    [0, 30, "a"],
    [30, 60, "b"],
    [60, 100, "-"],
    [100, 380, "c"],
    [380, 400, "d"],
    [400, 720, "-"],
    [720, 1080, "…"],
  ]);
});

test("of two programmes at once the later one begins in the place of the rest", () => {
  expect(seen([[0, 120, row([0, 90, "a"], [60, 120, "b"])]])).toEqual([
    [0, 60, "a"],
    [60, 120, "b"],
  ]);
});

test("a channel without programmes is one time without one, and the cell of a moment is the one around it", () => {
  expect(seen([[0, 360, row()]])).toEqual([[0, 360, "-"]]);
  const cells = cellsOf([{ from: 0, to: 120 * 60_000, row: row([0, 60, "a"], [60, 120, "b"]) }]);
  expect(cellAt(cells, 60 * 60_000)?.programme?.title).toBe("b");
  expect(cellAt(cells, 999 * 60_000)?.programme?.title).toBe("b");
});
