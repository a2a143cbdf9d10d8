// docs/spec/screens.md names every screen and every entry of the menus.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import en from "../i18n/en.json";
import es from "../i18n/es.json";
import { paths } from "../routing/paths";
import { menus, ownEntries } from "./navigation";

const page = readFileSync("../docs/spec/screens.md", "utf8");
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

/** The addresses of a row of the table; what begins with "…" goes on behind the first of the row. */
function addressesIn(row: string): string[] {
  const cell = row.split("|")[1] ?? "";
  const [first = "", ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, address]) => address ?? "");
  return [first, ...others].map((address) => address.replace("…", first));
}

test("every address of the panel is in the specification", () => {
  const inTable = section("Addresses")
    .split("\n")
    // What all kinds of content have is one row for them.
    .map((row) =>
      row.replace(
        "| `…/create`, `…/{id}/edit`, `…/{id}`",
        "| `/content/movies`, `…/create`, `…/{id}/edit`, `…/{id}`",
      ),
    )
    .flatMap(addressesIn);
  const inPanel = Object.entries(paths).map(([name, path]) => {
    if (typeof path === "string") return path;
    const values = /content/i.test(name) ? ["movies", "{id}"] : name === "scheduleOf" ? [{}] : ["{id}", ""];
    return (path as (...values: unknown[]) => string)(...values);
  });
  const plain = (address: string) =>
    decodeURIComponent(address.split("?")[0] ?? "").replace("{username}", "{id}");
  const known = new Set(inTable.map(plain));
  expect(inPanel.filter((address) => !known.has(plain(address)))).toEqual([]);
});

test("every entry of the menus is in the specification", () => {
  const text = section("Navigation").replace(/\s+/g, " ");
  // Kinds of content are named in their own pages; a new one needs no line here.
  const entries = [...menus.flatMap((menu) => menu.entries), ...ownEntries].filter(({ content }) => !content);
  const name = (key: (typeof entries)[number]["key"]) => `«${es.pages[key]}» / “${en.pages[key]}”`;
  expect(entries.map(({ key }) => name(key)).filter((one) => !text.includes(one))).toEqual([]);
});
