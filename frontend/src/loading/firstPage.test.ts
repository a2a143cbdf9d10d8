// What is downloaded once the first page is shown.
import { act } from "@testing-library/react";
import { expect, test, vi } from "vitest";

test("what waits for the first page is loaded when it is shown, and from then on at once", async () => {
  vi.resetModules();
  const { afterFirstPage, firstPageIsShown } = await import("./firstPage");
  const load = vi.fn(async () => "loaded");
  const loading = afterFirstPage(load)();
  await act(async () => {});
  expect(load).not.toHaveBeenCalled();
  firstPageIsShown();
  expect(await loading).toBe("loaded");
  expect(await afterFirstPage(load)()).toBe("loaded");
});
