// How much a browser downloads before a page is there, gzipped, read from what was built. Fails when the sign-in
// page or the first list outgrow their budgets.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const built = join(dirname(fileURLToPath(import.meta.url)), "..", "build");
const manifestFile = join(built, ".vite", "manifest.json");
if (!existsSync(manifestFile)) {
  console.error("Nothing is built: run `npm run build` first.");
  process.exit(1);
}
const manifest = JSON.parse(readFileSync(manifestFile, "utf8"));

const routes = [
  { name: "sign-in", entries: ["index.html"], budget: 99_000 },
  {
    name: "first list",
    entries: [
      "index.html",
      "src/app/Panel.tsx",
      "src/app/layout/Shell.tsx",
      "src/features/catalogue/pages.tsx",
      "src/features/catalogue/contents/movies.tsx",
      "src/i18n/es.json",
    ],
    budget: 193_500,
  },
];

/** The script that the document has beside the program (scripts/firstScreen.ts). */
const [, firstScreen] = readFileSync(join(built, "index.html"), "utf8").match(
  /<script src="\/(assets\/first-screen-[^"]+)"/,
);

/** The files of some entries, of everything that they import outright, and the document's own script. */
function filesOf(entries) {
  const seen = new Set();
  const files = new Set([firstScreen]);
  const visit = (key) => {
    if (seen.has(key)) return;
    seen.add(key);
    const chunk = manifest[key];
    if (!chunk) throw new Error(`${key} is not in the manifest`);
    files.add(chunk.file);
    for (const sheet of chunk.css ?? []) files.add(sheet);
    for (const next of chunk.imports ?? []) visit(next);
  };
  for (const entry of entries) visit(entry);
  return [...files];
}

const gzipped = (files) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(built, file))).length, 0);
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

let isOver = false;
for (const { name, entries, budget } of routes) {
  const files = filesOf(entries);
  const js = gzipped(files.filter((file) => file.endsWith(".js")));
  const css = gzipped(files.filter((file) => file.endsWith(".css")));
  const verdict = js + css <= budget ? "ok" : "TOO LARGE";
  console.log(`${name}: JS ${kB(js)} + CSS ${kB(css)} = ${kB(js + css)} gzip, of ${kB(budget)}: ${verdict}`);
  if (process.argv.includes("--files"))
    for (const file of files) console.log(`  ${kB(gzipped([file])).padStart(9)}  ${file}`);
  isOver ||= js + css > budget;
}
process.exit(isOver ? 1 : 0);
