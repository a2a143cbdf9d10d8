// Headers of a stream as lines of text.
import { expect, test } from "vitest";
import { headersOf, linesOf } from "./streams";

test("headers are lines of name and value, and a line without a colon is a name", () => {
  const text = " Referer: https://example.com/ \n\nUser-Agent:VLC\nCookie";
  const headers = [
    { name: "Referer", value: "https://example.com/" },
    { name: "User-Agent", value: "VLC" },
    { name: "Cookie", value: "" },
  ];
  expect(headersOf(text)).toEqual(headers);
  expect(linesOf(headers.slice(0, 2))).toBe("Referer: https://example.com/\nUser-Agent: VLC");
});
