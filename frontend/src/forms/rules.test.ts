import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Rule } from "../api/rule";
import { rules } from "../api/rules.gen";
import { violationsOf } from "./rules";

const codesOf = (rule: Rule, value: unknown) =>
  violationsOf(rule, value, "field", true).map(({ code }) => code);

describe("one rule", () => {
  test.each<[string, Rule, unknown, string[]]>([
    ["a text of the least length", { type: "string", minLength: 2 }, "ab", []],
    ["a text too short", { type: "string", minLength: 2 }, "a", ["TOO_SHORT"]],
    ["a text of the greatest length", { type: "string", maxLength: 3 }, "abc", []],
    ["a text too long", { type: "string", maxLength: 3 }, "abcd", ["TOO_LONG"]],
    ["characters, not UTF-16 units", { type: "string", maxLength: 2 }, "🎬🎬", []],
    ["a missing required value", { type: "string" }, "", ["REQUIRED"]],
    ["a missing optional value", { type: "string", nullable: true }, null, []],
    ["a number for a text", { type: "string" }, 7, ["WRONG_TYPE"]],
    ["the least number", { type: "integer", minimum: 1 }, 1, []],
    ["a number too small", { type: "integer", minimum: 1 }, 0, ["TOO_SMALL"]],
    ["the greatest number", { type: "number", maximum: 10 }, 10, []],
    ["a number too large", { type: "number", maximum: 10 }, 10.1, ["TOO_LARGE"]],
    ["a fraction for a whole number", { type: "integer" }, 1.5, ["WRONG_TYPE"]],
    ["one decimal", { type: "number", decimals: 1 }, 8.7, []],
    ["two decimals for one", { type: "number", decimals: 1 }, 8.75, ["TOO_PRECISE"]],
    ["a known value", { enum: ["A", "B"] }, "A", []],
    ["an unknown value", { enum: ["A", "B"] }, "C", ["UNKNOWN_VALUE"]],
    ["enough items", { type: "array", minItems: 1 }, ["a"], []],
    ["too few items", { type: "array", minItems: 1 }, [], ["TOO_FEW"]],
    ["too many items", { type: "array", maxItems: 1 }, ["a", "b"], ["TOO_MANY"]],
    ["a day", { type: "string", format: "date" }, "2024-02-29", []],
    ["a day that does not exist", { type: "string", format: "date" }, "2023-02-29", ["INVALID_DATE"]],
    ["a pattern met", { type: "string", pattern: "^tt[0-9]+$" }, "tt01", []],
    ["a pattern missed", { type: "string", pattern: "^tt[0-9]+$" }, "01", ["INVALID_FORMAT"]],
    ["an address", { type: "string", schemes: ["https"] }, "https://a.example/b", []],
    ["another scheme", { type: "string", schemes: ["https"] }, "ftp://a.example/b", ["INVALID_SCHEME"]],
    ["a script", { type: "string", schemes: ["https"] }, "javascript:alert(1)", ["INVALID_SCHEME"]],
    ["no address at all", { type: "string", schemes: ["https"] }, "a.example", ["INVALID_URL"]],
    ["an address with a blank", { type: "string", schemes: ["https"] }, "https://a b", ["INVALID_URL"]],
  ])("%s", (_name, rule, value, expected) => {
    expect(codesOf(rule, value)).toEqual(expected);
  });
});

describe("the address of a channel", () => {
  const found = (urlType: string, url: string) =>
    violationsOf({ ...rules.TvChannel, required: [] }, { urlType, url });
  test.each([
    ["EXTERNAL", "https://live.example.com/7.m3u8", []],
    ["EXTERNAL", "udp://@239.0.0.1:1234", []],
    ["EXTERNAL", "103451", ["INVALID_URL"]],
    ["EXTERNAL", "javascript:alert(1)", ["INVALID_SCHEME"]],
    ["INTERNAL", "103451", []],
    ["INTERNAL", "https://live.example.com/7.m3u8", ["NOT_NUMERIC"]],
    ["INTERNAL", "１２", ["NOT_NUMERIC"]],
    ["INTERNAL", "-1", ["NOT_NUMERIC"]],
  ])("%s %s", (urlType, url, expected) => {
    expect(found(urlType, url).map(({ code }) => code)).toEqual(expected);
  });
});

describe("the rules of a movie", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date("2026-06-15T12:00:00Z"), toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const movie = {
    title: "Dune",
    year: 2021,
    durationMinutes: 155,
    classification: "PG_13",
    categoryId: 1,
    genres: [],
    links: [
      {
        id: "1",
        quality: "FHD",
        url: "https://a.example/1",
        audioLanguages: ["SPANISH"],
        subtitleLanguages: [],
      },
    ],
  };
  const found = (change: object) =>
    violationsOf(rules.Movie, { ...movie, ...change }).map(({ field, code }) => `${field} ${code}`);

  test.each<[object, string[]]>([
    [{}, []],
    [{ title: "D" }, ["title TOO_SHORT"]],
    [{ title: "x".repeat(200) }, []],
    [{ title: "x".repeat(201) }, ["title TOO_LONG"]],
    [{ year: 1899 }, ["year TOO_SMALL"]],
    [{ year: 1900 }, []],
    [{ year: 2031 }, []],
    [{ year: 2032 }, ["year TOO_LARGE"]],
    [{ durationMinutes: 0 }, ["durationMinutes TOO_SMALL"]],
    [{ rating: 10 }, []],
    [{ rating: 10.1 }, ["rating TOO_LARGE"]],
    [{ categoryId: undefined }, ["categoryId REQUIRED"]],
    [{ classification: null }, ["classification REQUIRED"]],
    [{ links: [] }, ["links TOO_FEW"]],
    [{ links: [{ ...movie.links[0], url: "file:///etc/passwd" }] }, ["links[0].url INVALID_SCHEME"]],
    [{ links: [{ ...movie.links[0], url: "udp://239.0.0.1:1234" }] }, []],
    [{ links: [{ ...movie.links[0], audioLanguages: [] }] }, ["links[0].audioLanguages TOO_FEW"]],
    [{ coverImageUrl: "data:image/png;base64,AA" }, ["coverImageUrl INVALID_SCHEME"]],
    [{ title: "", year: null }, ["title REQUIRED", "year REQUIRED"]],
  ])("%j gives %j", (change, expected) => {
    expect(found(change)).toEqual(expected);
  });
});
