// Who changed a report last, and who wrote its notes.
import { expect, test } from "vitest";
import { lastChange } from "./lastChange";

type Entry = NonNullable<Parameters<typeof lastChange>[0]>[number];

const entry = (by: string, note: string | null) =>
  ({ by, byKind: "STAFF", date: "2026-11-20T10:00:00Z", note }) as unknown as Entry;

const history = [entry("ana", "Llamar"), entry("bea", "Metropolis (8) → Metrópolis (3)"), entry("eva", null)];

test("notes are of the user who wrote them, and not of the one who merged the content", () => {
  expect(lastChange(history, "Llamar")?.name).toBe("ana");
  expect(lastChange(history, "Otras")).toBeUndefined();
});

test("the newest change is the last one, regardless of its fields", () => {
  expect(lastChange(history)?.name).toBe("eva");
  expect(lastChange(undefined)).toBeUndefined();
});
