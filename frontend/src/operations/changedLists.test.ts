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

test.each(["tv-shows", "seasons", "episodes"])("a change of %s changes what is below a show", (resource) => {
  expect(changedLists(resource)).toContainEqual(["series"]);
  // Rows of shows say how many episodes there are.
  expect(changedLists(resource)).toContainEqual(["contents", "tv-shows", "list"]);
});

test.each(["seasons", "episodes"])("a change of %s changes the show that counts them", (resource) => {
  expect(changedLists(resource)).toEqual(
    expect.arrayContaining([
      ["series"],
      ["contents", resource, "list"],
      ["contents", "tv-shows", "list"],
      ["contents", "completeness"],
    ]),
  );
});

test("each key that is read again is the beginning of one that something is read by", () => {
  const sources = Object.entries(
    import.meta.glob<string>(["../**/*.ts", "../**/*.tsx", "!../**/*.test.*", "!./changedLists.ts"], {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  );
  const keys = [...kinds, "seasons", "episodes", "users", "issue-reports"].flatMap((resource) =>
    changedLists(resource),
  );
  const first = [...new Set(keys.map(([name]) => name))];
  const isRead = (name: unknown) => sources.some(([, source]) => source.includes(`["${name}"`));
  expect(first.filter((name) => !isRead(name))).toEqual([]);
});
