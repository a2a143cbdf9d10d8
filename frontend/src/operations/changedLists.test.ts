import { expect, test } from "vitest";
import { kinds } from "../access/kinds";
import { lookupKey } from "../api/lookups";
import { changedLists, shownBeside } from "./changedLists";

test.each(kinds)("a change of %s changes the counts of the dashboards", (kind) => {
  expect(changedLists(kind)).toContainEqual(["dashboards"]);
});

test("a category is chosen and named in sources, profiles and the schedule", () => {
  expect(shownBeside("categories")).toEqual(
    expect.arrayContaining([["playlist-sources"], ["live-profiles"], ["schedule"], lookupKey("categories")]),
  );
});
