// A browser that refuses its storage breaks nothing.
import { expect, onTestFinished, test, vi } from "vitest";
import { local, session } from "./storage";

test.each([
  ["localStorage", local],
  ["sessionStorage", session],
] as const)("%s that is refused is empty, and keeps nothing", (name, storage) => {
  storage.set("one", "1");
  expect(storage.get("one")).toBe("1");
  expect(storage.keys()).toContain("one");
  const refused = vi.spyOn(window, name, "get").mockImplementation(() => {
    throw new DOMException("refused", "SecurityError");
  });
  onTestFinished(() => refused.mockRestore());
  storage.set("two", "2");
  storage.write("two", 2);
  storage.remove("one");
  expect(storage.get("one")).toBeNull();
  expect(storage.read("one")).toBeUndefined();
  expect(storage.keys()).toEqual([]);
  refused.mockRestore();
  expect(storage.get("two")).toBeNull();
  storage.remove("one");
  expect(storage.get("one")).toBeNull();
});

test("a value is read as it was written; what is none is not there", () => {
  local.write("one", { ids: [1] });
  expect(local.read("one")).toEqual({ ids: [1] });
  expect(local.read("two")).toBeUndefined();
  local.set("one", "{broken");
  expect(local.read("one")).toBeUndefined();
  local.set("one", "null");
  expect(local.read("one")).toBeUndefined();
});
