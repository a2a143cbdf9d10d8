// The files that the panel downloads first, as links for the document: those of every page, those of a language
// (`data-language`), and those of some addresses (`data-paths`; `*` stands for every address that is not listed). The
// modules are those that src/app/loadAhead.ts loads. The address of a list has a link to its first rows, too
// (`data-call`), which the document's script requests as the program would.
import { join } from "node:path";
import type { HtmlTagDescriptor, Rolldown } from "vite";
import { kinds } from "../src/access/kinds";
import { addressOf } from "../src/api/address";
import { listDefaults } from "../src/features/catalogue/listDefaults";
import { ownTexts } from "../src/features/catalogue/ownTexts";
import { languages } from "../src/i18n/language";
import { paths } from "../src/routing/paths";
import { listQuery, listStateOf } from "../src/ui/list/listQuery";

interface Need {
  modules: readonly string[];
  language?: string;
  path?: string;
}

export const needs: readonly Need[] = [
  { modules: ["app/Panel.tsx", "app/layout/Shell.tsx", "app/layout/PageFailure.tsx"] },
  ...languages.map((language) => ({ modules: [`i18n/${language}.json`], language })),
  // The Spanish ones are part of the program.
  { modules: ["i18n/sign-in.en.json"], language: "en" },
  { modules: ["app/pages.ts"], path: "*" },
  ...kinds.flatMap((kind) => {
    const path = paths.contents(kind);
    const texts = ownTexts[kind] ?? [];
    return [
      { modules: ["features/catalogue/pages.tsx", `features/catalogue/contents/${kind}.tsx`], path },
      ...languages.map((language) => ({
        modules: texts.map((name) => `i18n/${name}.${language}.json`),
        language,
        path,
      })),
    ];
  }),
];

/** Each file once; the needs of every page come first. */
export function panelLinks(root: string, bundle: Rolldown.OutputBundle = {}): HtmlTagDescriptor[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const inDocument = new Set(
    chunks.filter(({ isEntry }) => isEntry).flatMap((entry) => filesOf(entry, bundle)),
  );
  const needed = new Map<string, { language?: string; addresses?: Set<string> }>();
  for (const { modules, language, path } of needs)
    for (const module of modules) {
      const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === join(root, "src", module));
      if (!chunk) throw new Error(`${module} has no file of its own`);
      for (const file of filesOf(chunk, bundle)) {
        if (inDocument.has(file)) continue;
        const known = needed.get(file);
        if (!known) needed.set(file, { language, addresses: path ? new Set([path]) : undefined });
        else if (path) known.addresses?.add(path);
      }
    }
  const links = [...needed].map(([file, { language, addresses }]) => ({
    tag: "link",
    attrs: {
      ...(file.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" }),
      crossorigin: true,
      href: `/${file}`,
      ...(language && { "data-language": language }),
      ...(addresses && { "data-paths": [...addresses].join(" ") }),
    },
  }));
  return [...links, ...linksToRows()];
}

/** The first rows of lists whose address sets nothing. How many they are (`*`), the browser's user may have chosen. */
export function linksToRows(): HtmlTagDescriptor[] {
  return kinds.map((kind) => {
    const state = listStateOf(new URLSearchParams(), listDefaults(kind));
    return {
      tag: "link",
      attrs: {
        "data-call": addressOf(`/${kind}`, { ...listQuery(state), _size: "*" }),
        "data-list": kind,
        "data-size": String(state.size),
        "data-paths": paths.contents(kind),
      },
    };
  });
}

/** A chunk, its style sheets, and those of the chunks that it imports outright. */
function filesOf(chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle): string[] {
  const files = new Set<string>();
  const visit = (next: Rolldown.OutputBundle[string] | undefined) => {
    if (next?.type !== "chunk" || files.has(next.fileName)) return;
    files.add(next.fileName);
    for (const sheet of next.viteMetadata?.importedCss ?? []) files.add(sheet);
    for (const name of next.imports) visit(bundle[name]);
  };
  visit(chunk);
  return [...files];
}
