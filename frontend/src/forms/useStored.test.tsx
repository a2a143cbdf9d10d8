import type { UseQueryResult } from "@tanstack/react-query";
import { renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { useStored } from "./useStored";

const kept = { data: "kept", isFetchedAfterMount: false, isError: false };

function begin() {
  const { result, rerender } = renderHook(
    ({ of = 1, ...query }: { of?: number } & typeof kept) => useStored(query as UseQueryResult<string>, of),
    { initialProps: kept as { of?: number } & typeof kept },
  );
  return { stored: () => result.current, answer: rerender };
}

test("a form begins with the response of the server, not with cached data", () => {
  const { stored, answer } = begin();
  expect(stored()).toBeUndefined();
  answer({ data: "read", isFetchedAfterMount: true, isError: false });
  expect(stored()).toBe("read");
});

test("a form does not begin with cached data of an item that could not be read", () => {
  const { stored, answer } = begin();
  answer({ ...kept, isFetchedAfterMount: true, isError: true });
  expect(stored()).toBeUndefined();
});

test("an open form stays when a later read fails; a form of another item does not begin with its data", () => {
  const { stored, answer } = begin();
  answer({ data: "read", isFetchedAfterMount: true, isError: false });
  answer({ data: "read", isFetchedAfterMount: true, isError: true });
  expect(stored()).toBe("read");
  answer({ of: 2, ...kept });
  expect(stored()).toBeUndefined();
});
