import { describe, expect, test } from "vitest";
import { undoingOf } from "./undoing";

type Known = Parameters<typeof undoingOf>[0];

const nothing: Known = { id: 1, undoOf: null, action: null, import: null, resource: "movies" };
const file = { fileName: "a.csv", columns: [], rows: 1 } as unknown as Known["import"];
const set = { type: "SET", set: { active: false } } as unknown as Known["action"];

describe.each([
  [
    "a deletion",
    { action: { type: "DELETE" } as unknown as Known["action"] },
    ["restoreWhy", "deleteAgainWhy"],
  ],
  [
    "a restoration",
    { action: { type: "RESTORE" } as unknown as Known["action"] },
    ["deleteAgainWhy", "restoreWhy"],
  ],
  ["an import", { import: file }, ["undoImportWhy", "importAgainWhy"]],
  [
    "an import of users",
    { import: file, resource: "users" as const },
    ["undoUserImportWhy", "importUsersAgainWhy"],
  ],
  ["a change of values", { action: set }, ["undoWhy", "undoWhy"]],
])("undoing %s", (_what, fields, [undone, done]) => {
  const operations: Known[] = [
    { ...nothing, id: 3, undoOf: 2 },
    { ...nothing, id: 2, undoOf: 1 },
    { ...nothing, ...fields },
  ];

  test.each([
    [1, undone],
    [2, done],
    [3, undone],
  ])("operation %i of the chain: %s", (id, text) => {
    const operation = operations.find((one) => one.id === id);
    expect(operation && undoingOf(operation, operations).text).toBe(text);
  });
});

test("what moves items to the trash is no safe step", () => {
  const deletion: Known = { ...nothing, action: { type: "DELETE" } as unknown as Known["action"] };
  const undo: Known = { ...nothing, id: 2, undoOf: 1 };
  expect(undoingOf(deletion, [undo, deletion]).isSafe).toBe(true);
  expect(undoingOf(undo, [undo, deletion]).isSafe).toBe(false);
});

test("an undo whose first operation is too old for the list may delete", () => {
  const undo: Known = { ...nothing, id: 9, undoOf: 1 };
  expect(undoingOf(undo, [undo])).toEqual({ text: "unknownWhy", isSafe: false });
});
