// `npm run pictures`: takes the pictures of docs/live-tv.md with the binary and the panel that browser tests need.
import { defineConfig } from "vitest/config";
import browser from "./vitest.config";

export default defineConfig({ ...browser, test: { ...browser.test, include: ["pictures.ts"] } });
