// The columns of the renewals on a screen that is wide enough for a table, but not for all columns.
import { expect, test } from "vitest";
import { renewalColumns } from "./columns";

/** The width of a column on a screen of 768 pixels, in pixels: `clamp(…)` or a number of rem. */
function widthOnTablet(width = "13rem"): number {
  const [least = 0, share = 0] = [...width.matchAll(/([\d.]+)(?:rem|vw)/g)].map(([, number]) =>
    Number(number),
  );
  return width.startsWith("clamp") ? Math.max(least * 16, share * 7.68) : least * 16;
}

test("on a tablet the customers fit beside the boxes and the actions, so that none is under the other", () => {
  const shown = renewalColumns().filter(({ needsRoom, isOptional }) => !needsRoom && !isOptional);
  const [box, actions, margins, scrollbar] = [36, 128, 34, 15];
  const sum = shown.reduce((total, { width }) => total + widthOnTablet(width), box + actions);
  expect(sum).toBeLessThanOrEqual(768 - margins - scrollbar);
});
