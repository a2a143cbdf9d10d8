import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { contentEntries, kinds } from "../../access/kinds";
import { definitions } from "./definitions";

test.each(kinds)(
  "contents/%s.tsx defines the kind of its name, and what its own page shows if it has one",
  async (kind) => {
    const { default: definition } = await definitions[kind]();
    expect(definition.kind).toBe(kind);
    if (contentEntries[kind].hasDetails) expect(definition.Details).toBeDefined();
  },
);

test("every file in contents/ is a kind of the API", () => {
  const files = readdirSync("src/features/catalogue/contents").map((file) => file.replace(/\.tsx$/, ""));
  expect(files.sort()).toEqual([...kinds].sort());
});
