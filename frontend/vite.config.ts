import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The panel is served by the binary on one origin; in development the API answers behind this proxy.
const api = process.env.CARTELERA_API ?? "http://127.0.0.1:8080";

// What every page needs comes in two large pieces instead of sixty small ones, which compress badly: what the sign-in
// screen needs, and what the first list adds. Anything only forms need stays out.
const framed =
  "ActionIcon|Alert|Badge|Burger|Button|Center|Checkbox|CloseButton|Collapse|Flex|FocusTrap|Group|Input|InputBase|Kbd|Loader|" +
  "LoadingOverlay|Menu|NativeSelect|Overlay|Pagination|Paper|Popover|Portal|ScrollArea|Skeleton|Stack|Switch|Table|Text|" +
  "TextInput|Title|Transition|UnstyledButton|VisuallyHidden|SimpleGrid";
const downloads = [
  {
    name: "door",
    priority: 2,
    test: /node_modules\/(react|react-dom|scheduler|react-router|i18next|react-i18next|openapi-fetch|use-sync-external-store)\//,
  },
  {
    name: "frame",
    priority: 1,
    test: new RegExp(
      `node_modules/(@mantine/(hooks|core/esm/(core|utils|components/(${framed})/))|@floating-ui|@tanstack|mantine-datatable|clsx)`,
    ),
  },
];

export default defineConfig({
  plugins: [react()],
  server: { port: 5173, proxy: { "/api": api } },
  build: {
    sourcemap: false,
    manifest: true,
    target: "es2022",
    rolldownOptions: { output: { codeSplitting: { groups: downloads } } },
  },
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
