// The links to the panel's first files: which pages and which language each is for.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Rolldown } from "vite";
import { expect, test } from "vitest";
import { needs, panelLinks } from "../../scripts/panelLinks";

const root = "/panel";
const fileOf = (module: string) => `${module.replaceAll("/", "-")}.js`;

/** Each module that is needed has a file of its own, and the document has `entry.js` with `libraries.js`. */
function bundleOf(more: Record<string, Partial<Rolldown.OutputChunk>> = {}): Rolldown.OutputBundle {
  const modules = [...new Set(needs.flatMap((need) => need.modules))];
  const chunks = [
    { fileName: "libraries.js" },
    { fileName: "entry.js", isEntry: true, imports: ["libraries.js"] },
    ...modules.map((module) => ({
      fileName: fileOf(module),
      facadeModuleId: `${root}/src/${module}`,
      imports: ["libraries.js"],
      ...more[module],
    })),
  ].map((chunk) => ({ type: "chunk", isEntry: false, imports: [], ...chunk }));
  return Object.fromEntries(
    chunks.map((chunk) => [chunk.fileName, chunk]),
  ) as unknown as Rolldown.OutputBundle;
}

function attributesIn(bundle: Rolldown.OutputBundle) {
  const links = panelLinks(root, bundle).map(({ attrs }) => attrs);
  return (file: string) => links.filter((attrs) => attrs?.href === `/${file}`);
}

test("a file has one link with all of its addresses, or none where every page needs it", () => {
  const of = attributesIn(bundleOf());
  expect(of(fileOf("app/Panel.tsx"))).toEqual([
    { rel: "modulepreload", crossorigin: true, href: `/${fileOf("app/Panel.tsx")}` },
  ]);
  expect(of(fileOf("app/pages.ts"))).toEqual([expect.objectContaining({ "data-paths": "*" })]);
  const [pages, ...others] = of(fileOf("features/catalogue/pages.tsx"));
  expect(others).toEqual([]);
  expect(String(pages?.["data-paths"]).split(" ")).toEqual(
    expect.arrayContaining(["/content/movies", "/content/tv-shows"]),
  );
  expect(of(fileOf("features/catalogue/contents/movies.tsx"))).toEqual([
    expect.objectContaining({ "data-paths": "/content/movies" }),
  ]);
});

test("texts are for their language, and the files of the document have no link", () => {
  const of = attributesIn(bundleOf());
  expect(of(fileOf("i18n/en.json"))).toEqual([expect.objectContaining({ "data-language": "en" })]);
  expect(of("entry.js")).toEqual([]);
  expect(of("libraries.js")).toEqual([]);
});

test("what is loaded ahead has links, and nothing else", () => {
  const inThisFolder = (file: string) => join(import.meta.dirname, file);
  const read = (file: string) => readFileSync(inThisFolder(file), "utf8");
  const ahead = "loadAhead.ts";
  const helpers = [...read(ahead).matchAll(/from "(\.\/load\w+)"/g)].map(([, file]) => `${file}.ts`);
  // The router has the part of it that depends on the address.
  const loaded = [ahead, ...helpers, "router.tsx"].flatMap((file) =>
    [...read(file).matchAll(/\bimport\("([^"]+)"\)/g)].map(([, module = ""]) => {
      const found = ["ts", "tsx"].map((end) => inThisFolder(`${module}.${end}`)).find(existsSync);
      return relative(join(import.meta.dirname, ".."), found ?? module);
    }),
  );
  // Definitions and texts are those of the languages and kinds.
  const linked = needs
    .flatMap(({ modules }) => modules)
    .filter((module) => !/^i18n\/|\/contents\//.test(module));
  expect(new Set(linked)).toEqual(new Set(loaded));
});

test("style sheets are fetched as such", () => {
  const bundle = bundleOf({
    "app/Panel.tsx": {
      viteMetadata: { importedCss: new Set(["panel.css"]), importedAssets: new Set(), __modules: {} },
    },
  });
  expect(attributesIn(bundle)("panel.css")).toEqual([
    { rel: "preload", as: "style", crossorigin: true, href: "/panel.css" },
  ]);
});

test("a module without a file of its own fails the build", () => {
  const bundle = bundleOf({ "app/pages.ts": { facadeModuleId: null } });
  expect(() => panelLinks(root, bundle)).toThrow("app/pages.ts has no file of its own");
});
