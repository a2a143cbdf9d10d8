// Which rows no longer belong to a list after a change in it.
import { expect, test } from "vitest";
import { fits } from "./fits";

test("a row fits by its number", () => {
  const row = { id: 1, channelNumber: 7, title: "Siete" };
  expect(fits(row, { channelNumber: "7", updatedDateFrom: "2026-11-21" })).toBe(true);
  expect(fits(row, { channelNumber: "8" })).toBe(false);
});
