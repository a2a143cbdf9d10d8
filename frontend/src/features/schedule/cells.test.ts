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

test("a programme that lasts longer than those over it goes on behind them", () => {
  expect(seen([[0, 180, row([0, 180, "film"], [60, 65, "flash"])]])).toEqual([
    [0, 60, "film"],
    [60, 65, "flash"],
    [65, 180, "film"],
  ]);
  // Three at once; each part has what lasts into it, and what is over leaves its time empty.
  const day = [-60, 700, "day"] as const;
  const first = row([...day], [0, 300, "film"], [100, 200, "news"], [150, 160, "flash"]);
  const second = row([...day], [400, 410, "weather"]);
  expect(
    seen([
      [0, 360, first],
      [360, 720, second],
    ]),
  ).toEqual([
    [0, 100, "film"],
    [100, 150, "news"],
    [150, 160, "flash"],
    [160, 200, "news"],
    [200, 300, "film"],
    [300, 400, "day"],
    [400, 410, "weather"],
    [410, 700, "day"],
    [700, 720, "-"],
  ]);
});

test("a programme that is shown in part before times on their way goes on until it ends", () => {
  expect(
    seen([
      [0, 60, row([0, 90, "a"], [10, 20, "b"])],
      [60, 120, undefined],
    ]),
  ).toEqual([
    [0, 10, "a"],
    [10, 20, "b"],
    [20, 90, "a"],
    [90, 120, "…"],
  ]);
});

test("a channel without programmes is one time without one, and the cell of a moment is the one around it", () => {
  expect(seen([[0, 360, row()]])).toEqual([[0, 360, "-"]]);
  const cells = cellsOf([{ from: 0, to: 120 * 60_000, row: row([0, 60, "a"], [60, 120, "b"]) }]);
  expect(cellAt(cells, 60 * 60_000)?.programme?.title).toBe("b");
  expect(cellAt(cells, 999 * 60_000)?.programme?.title).toBe("b");
});
