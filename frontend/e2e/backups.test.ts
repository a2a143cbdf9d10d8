// Backups: the scheduled one of the start is good, another one is requested and verified while the page is open.
import { describe, expect, test } from "vitest";
import { heading } from "./screens";
import { expectAccessible, flowLanguages, type Language, pagesOfOneBrowser } from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    title: "Copias de seguridad",
    start: "Hacer una copia ahora",
    scheduled: "Programada",
    good: "Correcta",
  },
  en: { title: "Backups", start: "Make a backup now", scheduled: "Scheduled", good: "Good" },
} as const;

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("a backup is requested and its result appears by itself", async () => {
    const page = await open("/settings/backups", { language, scheme: language === "es" ? "light" : "dark" });
    await heading(page, w.title).waitFor();
    const table = page.getByRole("table", { name: w.title });
    const good = table.getByRole("row").filter({ hasText: w.good });
    await table
      .getByRole("row")
      .filter({ hasText: w.scheduled })
      .getByText(w.good)
      .waitFor({ timeout: 60_000 });
    const start = page.getByRole("button", { name: w.start });
    await expect.poll(() => start.isEnabled(), { timeout: 60_000 }).toBe(true);
    const before = await good.count();
    await start.click();
    await table.getByText("Manual (admin)").first().waitFor();
    await expect.poll(() => good.count(), { timeout: 60_000 }).toBe(before + 1);
    await expectAccessible(page, "the log of backups");
  });
});
