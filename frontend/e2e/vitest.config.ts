// The whole product in a real browser: a new server for each file, the mock film database and Chromium.
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
    // Files run side by side, each on a server of its own; a flow waits about as long as it keeps a core busy.
    maxWorkers: 4,
    // Files share a worker's browser and modules; nightly each has its own, to show that none needs another.
    isolate: Boolean(process.env.CARTELERA_NIGHTLY),
    sequence: { shuffle: false },
    retry: 0,
    // Nothing waits that long unless the machine is busy otherwise.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
