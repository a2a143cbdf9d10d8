// The whole product in a real browser: a fresh server, the film database's stand-in and Chromium.
// `scripts/test browser` builds what it needs first; `npm run test:browser` expects it built.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: dirname(fileURLToPath(import.meta.url)),
  test: {
    environment: "node",
    include: ["**/*.test.ts"],
    globalSetup: ["./startCartelera.ts"],
    // One server and one database: the tests take turns.
    fileParallelism: false,
    maxWorkers: 1,
    sequence: { shuffle: false },
    retry: 0,
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
