// Every row of a table can be reached by the wheel, under a header that stays, at the sizes that people have.
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { heading } from "./screens";
import { categoryId, clientOf, create, nightly, pagesOfOneBrowser } from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;
const count = 100;
const title = (number: number) => `Película número ${String(number).padStart(3, "0")}`;

/** Not by role: a hundred rows are slow to be named, on a busy machine. */
const titleLink = (page: Page, name: string) => page.locator("tbody a[data-row]", { hasText: name });
const shown = { timeout: 60_000 };

beforeAll(async () => {
  const client = await clientOf();
  const category = await categoryId(client, "Acción");
  for (let number = 1; number <= count; number++)
    await create(client, "movies", {
      title: title(number),
      year: 2000,
      durationMinutes: 100,
      classification: "PG",
      genres: ["DRAMA"],
      categoryId: category,
      links: [{ quality: "HD", url: `https://cdn.example.com/${number}.m3u8`, audioLanguages: ["SPANISH"] }],
    });
});

async function openList(size: number): Promise<Page> {
  const page = await open(`/content/movies?size=${size}&sort=title`);
  await titleLink(page, title(1)).waitFor(shown);
  return page;
}

/** Turns the wheel over the table until the row is on the screen, or nothing moves any more. */
async function wheelTo(page: Page, name: string) {
  const frame = await page.locator(".table-frame").boundingBox();
  await page.mouse.move((frame?.x ?? 0) + 200, (frame?.y ?? 0) + 150);
  for (let step = 0; step < 60; step++) {
    if (await isShown(page, name)) return;
    await page.mouse.wheel(0, 300);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  }
  throw new Error(
    `the wheel does not reach ${name}: ${JSON.stringify(await titleLink(page, name).boundingBox())}`,
  );
}

/** Whether a click in the middle of the row's title would meet that title. */
function isShown(page: Page, name: string): Promise<boolean> {
  return titleLink(page, name).evaluate((link) => {
    const { left, top, width, height } = link.getBoundingClientRect();
    if (top < 0 || top + height > innerHeight) return false;
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return found !== null && link.contains(found);
  });
}

const sizes = [
  { width: 1366, height: 657 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 768, height: 1024 },
];

/** Nightly, each number of rows in each size. */
const onEachPush: Record<number, typeof sizes> = { 25: sizes.slice(0, 1), 100: sizes.slice(1, 2) };

test.each(nightly ? [10, 25, 100] : [25, 100])(
  "the last of %i rows is reached by the wheel, and the header stays",
  async (size) => {
    const page = await openList(size);
    for (const viewport of nightly ? sizes : (onEachPush[size] ?? sizes)) {
      await page.setViewportSize(viewport);
      await page.reload();
      await titleLink(page, title(1)).waitFor(shown);
      await wheelTo(page, title(size));
      const header = await page.getByRole("columnheader", { name: "Título" }).boundingBox();
      const at = `at ${viewport.width}×${viewport.height}`;
      expect(header, at).not.toBeNull();
      expect(header?.y, `the header ${at}`).toBeGreaterThanOrEqual(0);
      expect((header?.y ?? 0) + (header?.height ?? 0), `the header ${at}`).toBeLessThan(viewport.height);
      const isCovered = await page.getByRole("columnheader", { name: "Título" }).evaluate((cell) => {
        const { left, top, width, height } = cell.getBoundingClientRect();
        return !cell.contains(document.elementFromPoint(left + width / 3, top + height / 2));
      });
      expect(isCovered, `the header is covered ${at}`).toBe(false);
    }
  },
  240_000,
);

test("going back restores the scroll inside the table, and the focus", async () => {
  const page = await openList(100);
  for (const viewport of nightly ? sizes : sizes.slice(0, 1)) {
    const at = `at ${viewport.width}×${viewport.height}`;
    await page.setViewportSize(viewport);
    await page.goto("/content/movies?size=100&sort=title");
    await titleLink(page, title(1)).waitFor(shown);
    const name = title(60);
    await wheelTo(page, name);
    const link = titleLink(page, name);
    const before = await link.boundingBox();
    await link.click();
    await heading(page, w.movies.editTitle(name)).waitFor(shown);
    await page.goBack();
    await link.waitFor(shown);
    await expect
      .poll(async () => Math.abs(((await link.boundingBox())?.y ?? 0) - (before?.y ?? 0)), shown)
      .toBeLessThanOrEqual(8);
    expect(await isShown(page, name), at).toBe(true);
    expect(await link.evaluate((element) => element === document.activeElement), at).toBe(true);
  }
}, 240_000);

test("compact rows show twenty films at once", async () => {
  const page = await openList(25);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Filas compactas" }).click();
  for (const number of [1, 10, 20]) expect(await isShown(page, title(number)), title(number)).toBe(true);
  const rowHeight = async () => (await page.locator("tbody tr").first().boundingBox())?.height ?? 0;
  expect(await rowHeight()).toBeLessThanOrEqual(32);
  await page.getByRole("button", { name: "Filas compactas" }).click();
  await expect.poll(rowHeight).toBeGreaterThanOrEqual(44);
  expect(await rowHeight()).toBeLessThanOrEqual(45);
}, 120_000);
