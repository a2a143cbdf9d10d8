import { expect, test } from "vitest";
import { pageMarks } from "./pages";

test.each<[number, number, string]>([
  [0, 1, "1"],
  [2, 5, "1 2 3 4 5"],
  [0, 6, "1 2 gap 6"],
  [1, 6, "1 2 3 gap 6"],
  [2, 6, "1 2 3 4 5 6"],
  [3, 7, "1 2 3 4 5 6 7"],
  [4, 9, "1 gap 4 5 6 gap 9"],
  [8, 9, "1 gap 8 9"],
  [2, 9, "1 2 3 4 gap 9"],
])("at page %i of %i", (current, total, expected) => {
  const marks = pageMarks(current, total).map((mark) => (mark === "gap" ? mark : mark + 1));
  expect(marks.join(" ")).toBe(expected);
});
