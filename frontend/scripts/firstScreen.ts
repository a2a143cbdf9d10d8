// A plugin for Vite that puts the sign-in, rendered in each language, into the document, and the script that shows it. So it is
// there, and can be filled in, long before the program is. For a user who was signed in, the same script starts the downloads
// of the panel, whose files the document lists.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { build, createServer, type HtmlTagDescriptor, type Plugin, type Rolldown } from "vite";
import { languages } from "../src/i18n/language";
import { panelLinks } from "./panelLinks";

type Markup = typeof import("../src/app/firstScreenMarkup");

const script = "src/firstScreen.ts";
const markup = "src/app/firstScreenMarkup.tsx";

export function firstScreen(): Plugin {
  let root = "";
  let tags: HtmlTagDescriptor[] = [];
  return {
    name: "first-screen",
    apply: "build",
    configResolved: (config) => {
      root = config.root;
    },
    async buildStart() {
      const source = await scriptOf(root);
      const fileName = `assets/first-screen-${createHash("sha256").update(source).digest("hex").slice(0, 8)}.js`;
      this.emitFile({ type: "asset", fileName, source });
      const templates = Object.entries(await markupOf(root)).flatMap(([language, { screen, failure }]) => [
        { tag: "template", attrs: { id: `first-screen-${language}` }, children: screen },
        { tag: "template", attrs: { id: `loading-failure-${language}` }, children: failure },
      ]);
      tags = [...templates, { tag: "script", attrs: { src: `/${fileName}` } }];
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) =>
        [
          { tag: "template", attrs: { id: "panel-files" }, children: panelLinks(root, bundle) },
          { tag: "template", attrs: { id: "font-file" }, children: [fontLink(bundle)] },
          ...tags,
        ].map((tag) => ({ ...tag, injectTo: "body" as const })),
    },
  };
}

function fontLink(bundle: Rolldown.OutputBundle = {}): HtmlTagDescriptor {
  const file = Object.keys(bundle).find((name) => name.startsWith("assets/inter-latin-wght-normal-"));
  if (!file) throw new Error("the font was not built");
  const attrs = { rel: "preload", href: `/${file}`, as: "font", type: "font/woff2", fetchpriority: "low" };
  return { tag: "link", attrs: { ...attrs, crossorigin: true } };
}

/** One classic script with what it imports. */
async function scriptOf(root: string): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    logLevel: "error",
    publicDir: false,
    build: {
      write: false,
      target: "es2022",
      rolldownOptions: { input: join(root, script), output: { format: "iife" } },
    },
  });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const [chunk] = outputs.filter((one) => one.type === "chunk");
  if (!chunk) throw new Error(`${script} was not built`);
  return chunk.code;
}

async function markupOf(root: string) {
  const server = await createServer({
    root,
    configFile: false,
    logLevel: "error",
    appType: "custom",
    server: { middlewareMode: true, hmr: false, ws: false },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const { firstScreenMarkup } = (await server.ssrLoadModule(`/${markup}`)) as Markup;
    const rendered: Record<string, Awaited<ReturnType<typeof firstScreenMarkup>>> = {};
    // One after the other: the language is the program's.
    for (const language of languages) rendered[language] = await firstScreenMarkup(language);
    return rendered;
  } finally {
    await server.close();
  }
}
