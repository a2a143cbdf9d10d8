import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { compress } from "./scripts/compress";
import { firstScreen } from "./scripts/firstScreen";

const here = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");

// The panel is served by the binary on one origin; in development the API answers behind this proxy.
const api = process.env.CARTELERA_API ?? "http://127.0.0.1:8080";

// What every page needs comes in few pieces instead of sixty small ones, which compress badly: what the sign-in screen
// needs, of the libraries and our own; and what the panel adds to it. A piece takes along whatever its modules import, of
// libraries too, except what an earlier piece has. What they load when it is needed is not part of it.
const downloads = [
  {
    name: "libraries",
    priority: 3,
    test: /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store)\//,
  },
  {
    name: "sign-in",
    priority: 2,
    test: /src\/app\/App\./,
  },
  {
    name: "panel",
    priority: 1,
    test: /src\/(app\/(Panel|layout\/Shell)|features\/catalogue\/(pages|playable))\./,
  },
  // What every dialog needs comes in one piece: each of its parts would be named in the first piece of all. It is there
  // with the first page; menus take from it what they have in common.
  { name: "dialogs", priority: 0.5, test: /src\/ui\/(Dialog|ConfirmDialog|askAndClose)\./ },
  { name: "dropdowns", test: /src\/ui\/dropdown\/(MenuList|PopoverPanel)\./ },
];

const inDocument = /\/(libraries|sign-in|rolldown-runtime)-/;

export default defineConfig({
  plugins: [react(), firstScreen(), compress()],
  // What the package exports is its development build.
  resolve: {
    alias: [
      { find: /^react-router$/, replacement: `${here}/node_modules/react-router/dist/production/index.mjs` },
    ],
  },
  // scripts/dev names this address as the one that changes are accepted from: another port would be refused.
  server: { port: 5173, strictPort: true, proxy: { "/api": api } },
  build: {
    // What the binary embeds is made of it, in dist.
    outDir: "build",
    sourcemap: false,
    manifest: true,
    target: "es2022",
    // Browsers without `modulepreload` load the same files, one step later.
    modulePreload: {
      polyfill: false,
      // What the document loads is there: it is not listed with what each later part needs.
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === "html" ? files : files.filter((file) => !inDocument.test(file)),
    },
    rolldownOptions: { output: { codeSplitting: { groups: downloads } } },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    // Files share a worker's modules, which halves the time; nightly each has its own, to show that none needs another.
    isolate: Boolean(process.env.CARTELERA_NIGHTLY),
    // It keeps one core to itself otherwise: half of a small machine.
    maxWorkers: "100%",
    // A page is rendered and thrown away for each test: most of it is gone before it would be moved to the old objects.
    execArgv: ["--max-semi-space-size=64"],
    // Nothing waits that long unless the machine is busy otherwise.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    css: false,
  },
});
