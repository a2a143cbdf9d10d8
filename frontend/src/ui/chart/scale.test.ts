import { expect, test } from "vitest";
import { heightOf, scaleOf } from "./scale";

test.each([
  [
    [0, 0],
    [0, 1],
  ],
  [
    [1, 2, 3],
    [0, 1, 2, 3],
  ],
  [
    [48, 10],
    [0, 20, 40, 60],
  ],
  [
    [1037, 74],
    [0, 500, 1000, 1500],
  ],
  [[9], [0, 5, 10]],
  [
    [-3, 4],
    [-4, -2, 0, 2, 4],
  ],
  [[-5], [-6, -4, -2, 0]],
])("%j stand on an axis with %j", (values, ticks) => {
  const scale = scaleOf(values);
  expect(scale.ticks).toEqual(ticks);
  expect(scale).toMatchObject({ min: ticks[0], max: ticks.at(-1) });
});

test("every value stands on its axis", () => {
  const scale = scaleOf([-3, 4]);
  expect(heightOf(0, scale)).toBe(50);
  expect(heightOf(4, scale)).toBe(100);
  expect(heightOf(-4, scale)).toBe(0);
});
