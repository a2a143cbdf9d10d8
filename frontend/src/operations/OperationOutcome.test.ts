import { expect, test } from "vitest";
import { hasText, loadTexts } from "../i18n";
import { outcomeOf } from "./OperationOutcome";
import type { Operation } from "./queries";

const counts = { changed: 0, unchanged: 0, refused: 0, conflicts: 0, missing: 0, created: 0 };

test.each([
  ["FINISHED", null, 2, "FINISHED"],
  ["FINISHED", null, 0, "FINISHED_NOTHING"],
  ["CANCELLED", null, 1, "CANCELLED"],
  ["CANCELLED", null, 0, "CANCELLED_NOTHING"],
  ["FAILED", null, 1, "FAILED"],
  ["FAILED", null, 0, "FAILED_NOTHING"],
  ["FINISHED", 7, 2, "UNDONE"],
  ["FINISHED", 7, 0, "UNDONE_NOTHING"],
  ["CANCELLED", 7, 1, "UNDO_CANCELLED"],
  ["FAILED", 7, 1, "UNDO_FAILED"],
] as const)("%s, undo of %s, %i changed: %s", async (state, undoOf, changed, outcome) => {
  const operation = { state, undoOf, counts: { ...counts, changed } } as Operation;
  expect(outcomeOf(operation)).toBe(outcome);
  await loadTexts("operations");
  expect(hasText(`operations.ended.${outcome}`)).toBe(true);
});

test.each([{ refused: 1 }, { conflicts: 1 }, { missing: 1 }, {}])(
  "an undo of which something is left (%j) is one in part",
  async (left) => {
    const undo = {
      state: "FINISHED",
      undoOf: 7,
      counts: { ...counts, changed: 2, ...left },
    } as unknown as Operation;
    expect(outcomeOf(undo, Object.keys(left).length === 0)).toBe("UNDONE_PARTLY");
    await loadTexts("operations");
    expect(hasText("operations.ended.UNDONE_PARTLY")).toBe(true);
  },
);
