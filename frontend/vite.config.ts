import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The panel is served by the binary on one origin; in development the API answers behind this proxy.
const api = process.env.CARTELERA_API ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  server: { port: 5173, proxy: { "/api": api } },
  build: { sourcemap: false, manifest: true, target: "es2022", chunkSizeWarningLimit: 400 },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    testTimeout: 20_000,
    css: false,
    server: { deps: { inline: ["mantine-datatable"] } },
  },
});
