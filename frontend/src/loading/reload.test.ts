import { afterEach, expect, test, vi } from "vitest";
import { isReloading, reloadKeepingDrafts } from "./reload";

afterEach(() => vi.useRealTimers());

test("a reload that the browser's question has stopped is not under way any more", () => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => {}); // jsdom cannot reload.
  reloadKeepingDrafts();
  expect(isReloading()).toBe(true);
  window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  expect(isReloading(), "while forms are still to answer").toBe(true);
  vi.runAllTimers();
  expect(isReloading()).toBe(false);
});
