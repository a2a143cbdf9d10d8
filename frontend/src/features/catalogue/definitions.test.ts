import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { contentEntries, kinds } from "../../access/kinds";
import type { Rule } from "../../api/rule";
import { rules } from "../../api/rules.gen";
import { definitions } from "./definitions";
import { episodeParts, seasonParts } from "./episodes/parts";

test.each(kinds)(
  "contents/%s.tsx defines the kind of its name, and what its own page shows if it has one",
  async (kind) => {
    const { default: definition } = await definitions[kind]();
    expect(definition.kind).toBe(kind);
    if (contentEntries[kind].hasDetails) expect(definition.Details).toBeDefined();
  },
);

test.each([...kinds, "seasons", "episodes"] as const)(
  "every flag of %s is a column whose cells are edited",
  async (kind) => {
    const parts = { seasons: seasonParts, episodes: episodeParts };
    const definition =
      kind in parts ? parts[kind as "seasons"] : (await definitions[kind as "movies"]()).default;
    const { properties } = rules[definition.schema] as Rule;
    const flags = Object.keys(properties ?? {}).filter((field) => properties?.[field]?.type === "boolean");
    const columns: { key: string; edits?: string }[] = definition.columns();
    // The status has a switch in each row.
    const edited = columns.map(({ key, edits }) => (key === "active" ? key : edits));
    expect(edited).toEqual(expect.arrayContaining(flags));
  },
);

test("every file in contents/ is a kind of the API", () => {
  const files = readdirSync("src/features/catalogue/contents").map((file) => file.replace(/\.tsx$/, ""));
  expect(files.sort()).toEqual([...kinds].sort());
});
