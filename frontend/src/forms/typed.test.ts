import { describe, expect, test } from "vitest";
import { numberText, parseDay, parseDecimal, parseInteger, Unreadable } from "./typed";

const reasonOf = (value: unknown) => (value instanceof Unreadable ? value.reason : value);

describe("a date typed in Spanish", () => {
  test.each([
    ["5/6/1999", "1999-06-05"],
    ["13/6/1999", "1999-06-13"],
    ["05/06/1999", "1999-06-05"],
    ["5.6.1999", "1999-06-05"],
    ["5-6-1999", "1999-06-05"],
    [" 5/6/1999 ", "1999-06-05"],
    ["1999-06-05", "1999-06-05"],
    ["1999/6/5", "1999-06-05"],
    ["31/12/26", "2026-12-31"],
    ["1/1/69", "2069-01-01"],
    ["1/1/70", "1970-01-01"],
    ["29/2/2024", "2024-02-29"],
  ])("%s is %s", (text, day) => expect(parseDay(text, "es")).toBe(day));

  test.each([
    "31/13/2020",
    "30/02/2021",
    "29/2/2023",
    "12/31/2020",
    "mañana",
    "5/6",
    "5/6-1999",
    "5/6/199",
    "5/6/19999",
    "0/6/1999",
    "5/0/1999",
    "2021-02-30",
    "",
    "1999",
    "5 6 1999",
  ])("«%s» is none", (text) => expect(parseDay(text, "es")).toBeUndefined());
});

describe("a date typed in English", () => {
  test.each([
    ["1999-06-05", "1999-06-05"],
    ["1999/6/5", "1999-06-05"],
  ])("%s is %s", (text, day) => expect(parseDay(text, "en")).toBe(day));
  // Day or month first: ambiguous.
  test.each(["5/6/1999", "6/13/1999", "13/6/1999", "5.6.99"])("«%s» is none", (text) =>
    expect(parseDay(text, "en")).toBeUndefined(),
  );
});

test.each<[string, unknown]>([
  ["12", 12],
  [" 7 ", 7],
  ["-3", -3],
  ["", null],
  ["1,5", "NOT_WHOLE"],
  ["1.5", "NOT_WHOLE"],
  ["1e3", "NOT_WHOLE"],
  ["1.200", "NOT_WHOLE"],
  ["0x10", "NOT_WHOLE"],
  ["12 3", "NOT_WHOLE"],
  ["99999999999999999999", "NOT_WHOLE"],
  ["doce", "NOT_WHOLE"],
])("as a whole number, «%s» is %s", (text, expected) => expect(reasonOf(parseInteger(text))).toBe(expected));

test.each<[string, unknown]>([
  ["15,9", 15.9],
  ["15.9", 15.9],
  ["15.90", 15.9],
  ["1234,56", 1234.56],
  ["8", 8],
  ["", null],
  ["15.900", "AMBIGUOUS"],
  ["15,900", "AMBIGUOUS"],
  ["1.234,56", "AMBIGUOUS"],
  ["1,234.56", "AMBIGUOUS"],
  ["1e3", "NOT_A_NUMBER"],
  ["15,", "NOT_A_NUMBER"],
  [",5", "NOT_A_NUMBER"],
  ["15 €", "NOT_A_NUMBER"],
])("as a decimal, «%s» is %s", (text, expected) => expect(reasonOf(parseDecimal(text))).toBe(expected));

test("numbers are shown with the language's separator", () => {
  expect(numberText(15.9, "es")).toBe("15,9");
  expect(numberText(15.9, "en")).toBe("15.9");
  expect(numberText(1234, "es")).toBe("1234");
});
