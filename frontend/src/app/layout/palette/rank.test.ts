import { expect, test } from "vitest";
import { rank, ranked } from "./rank";

test("a name that begins with the words is better than one with a word that does, and that than one with them inside", () => {
  expect(rank({ name: "Duna" }, "dun")).toBe(0);
  expect(rank({ name: "¿Dónde está?" }, "donde")).toBe(0);
  expect(rank({ name: "La duna" }, "dun")).toBe(1);
  expect(rank({ name: "Redundancia, dunas" }, "dun")).toBe(1);
  expect(rank({ name: "Redundancia" }, "dun")).toBe(2);
  expect(rank({ name: "Rosa Luna", alias: "rl_7" }, "rl_")).toBe(0);
  expect(rank({ name: "Duna", note: "2021" }, "duna 2021")).toBe(3);
  expect(rank({ name: "Duna" }, "mar")).toBeUndefined();
});

test("those that are equally good stay in their order", () => {
  const names = ["Redundancia", "La duna", "Duna", "Dunkerque"].map((name) => ({ name }));
  expect(ranked(names, "dun").map(({ name }) => name)).toEqual([
    "Duna",
    "Dunkerque",
    "La duna",
    "Redundancia",
  ]);
});
