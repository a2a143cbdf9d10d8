import { expect, test } from "vitest";
import { moved } from "../../../ui/useRowOrder";
import { byHandAfter, type Channel, inOrder, numbersOf } from "./lineup";

const channel = (id: number, title: string, channelNumber: number, category = "Cine"): Channel => ({
  id,
  title,
  channelNumber,
  category,
});
const channels = [
  channel(1, "Ñandú", 30, "Noticias"),
  channel(2, "Canal 10", 10),
  channel(3, "Canal 2", 20, "Noticias"),
];
const ids = (all: Channel[]) => all.map(({ id }) => id);

test("channels are sorted by number, by collated title, by category and number, or manually", () => {
  expect(ids(inOrder(channels, "number", "es"))).toEqual([2, 3, 1]);
  expect(ids(inOrder(channels, "title", "es"))).toEqual([3, 2, 1]);
  expect(ids(inOrder(channels, "category", "es"))).toEqual([2, 3, 1]);
  expect(ids(inOrder(channels, "manual", "es"))).toEqual([1, 2, 3]);
});

test("numbers begin somewhere, leave gaps, and each category can begin at a round one", () => {
  const sorted = inOrder(channels, "category", "es");
  const plan = { order: "category", start: 101, step: 5, block: 0 } as const;
  expect(numbersOf(sorted, plan)).toEqual([101, 106, 111]);
  expect(numbersOf(sorted, { ...plan, block: 100 })).toEqual([101, 200, 205]);
  expect(numbersOf(sorted, { ...plan, order: "title", block: 100 })).toEqual([101, 106, 111]);
  // They still do after a row was moved manually.
  expect(numbersOf(sorted, byHandAfter({ ...plan, block: 100 }))).toEqual([101, 200, 205]);
  expect(numbersOf(sorted, byHandAfter({ ...plan, order: "title", block: 100 }))).toEqual([101, 106, 111]);
});

test("a channel is put at another place, not beyond the ends", () => {
  expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b", "c"], 1, 9)).toEqual(["a", "c", "b"]);
});
