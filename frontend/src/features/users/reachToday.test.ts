import { expect, test } from "vitest";
import { creditsToReachToday } from "./reachToday";

const now = new Date("2026-11-22T10:00:00Z");

test.each<[string | null, number | undefined]>([
  [null, undefined],
  ["2026-11-22T10:00:01Z", undefined],
  ["2026-11-22T09:59:59Z", 1],
  ["2026-10-22T10:00:00Z", 1],
  ["2026-10-22T09:59:59Z", 2],
  ["2026-09-30T00:00:00Z", 2],
  ["2025-11-23T00:00:00Z", 12],
  ["2025-11-22T00:00:00Z", 13],
])("from %s it takes %s", (expiration, count) => {
  expect(creditsToReachToday(expiration, now)).toBe(count);
});

test("the last day of a month stays within the month", () => {
  expect(creditsToReachToday("2026-01-31T00:00:00Z", new Date("2026-02-28T00:00:00Z"))).toBe(1);
  expect(creditsToReachToday("2026-01-31T00:00:00Z", new Date("2026-02-28T00:00:01Z"))).toBe(2);
});
