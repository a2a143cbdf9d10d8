import { expect, test } from "vitest";
import { numberInAddress } from "./listQuery";

test.each([
  ["7", 7],
  ["000", 0],
  ["", undefined],
  ["abc", undefined],
  ["1.5", undefined],
  ["-1", undefined],
  ["1e3", undefined],
  ["12345678901", undefined],
  [undefined, undefined],
])("%s in the address is %s", (text, number) => {
  expect(numberInAddress(text)).toBe(number);
});
