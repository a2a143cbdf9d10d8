// Components of the library have the styles that they need: in the sheet of every page, or imported beside them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const sources = resolve("src");
const sheetOf = (component: string) => `@mantine/core/styles/${component}.layer.css`;

/** Those that have no sheet of their own name. */
const partOf: Record<string, string> = {
  Select: "Combobox",
  MultiSelect: "Combobox",
  Autocomplete: "Combobox",
  // Its arrow.
  NativeSelect: "Combobox",
};

/** The sheets that a file imports, and those that they import. */
function sheetsIn(file: string): string[] {
  const imported = [...readFileSync(file, "utf8").matchAll(/@?import "([^"]+\.css)"/g)].map(
    ([, name]) => name ?? "",
  );
  return imported.flatMap((name) => (name.startsWith(".") ? sheetsIn(join(dirname(file), name)) : [name]));
}

const everywhere = sheetsIn(join(sources, "app/layout/mantine.css"));

test("a component of the library comes with its styles", () => {
  const bare = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".tsx") && !name.endsWith(".test.tsx"))
    .flatMap((name) => {
      const file = join(sources, name);
      const used = readFileSync(file, "utf8").match(/import \{([^}]*)\} from "@mantine\/core"/)?.[1] ?? "";
      const there = [...everywhere, ...sheetsIn(file)];
      return used
        .split(",")
        .map((one) => one.trim())
        .map((component) => sheetOf(partOf[component] ?? component))
        .filter((sheet) => existsSync(join("node_modules", sheet)) && !there.includes(sheet))
        .map((sheet) => `${name}: ${sheet}`);
    });
  expect(bare).toEqual([]);
});
