// A browser for a file of tests, pages that notice what must never happen, and the axe check.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { workers } from "./workers";

/** Of the server that this worker has to itself. */
export const url = inject("urls")[(Number(process.env.VITEST_POOL_ID ?? 1) - 1) % workers] ?? "";
export const admin = inject("admin");

/** The nightly run repeats what a push proves once (docs/contributing.md lists it). */
export const nightly = process.env.CARTELERA_NIGHTLY === "1";

export type Language = "es" | "en";

/** Languages of the flows. That both have the same texts is proven in src/i18n; movies.test.ts runs in English, too. */
export const flowLanguages: readonly Language[] = nightly ? ["es", "en"] : ["es"];

/** How a screen is looked at. */
export interface Look {
  scheme: "light" | "dark";
  width: number;
}

const wide = 1440;
export const light: Look = { scheme: "light", width: wide };
export const dark: Look = { scheme: "dark", width: wide };
export const narrow: Look = { scheme: "light", width: 390 };

interface PageOptions {
  /** Signed in as the administrator, without going through the form; true unless told. */
  signedIn?: boolean;
  language?: Language;
  scheme?: "light" | "dark";
  width?: number;
}

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const screenshots = join(dirname(fileURLToPath(import.meta.url)), "..", "test-results");
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Opens pages in a browser that lives as long as the file of tests does. */
export function pagesOfOneBrowser() {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const wrongs: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: flags,
    });
  });
  afterAll(() => browser?.close());

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await keepScreenshots(contexts, task.name);
    for (const context of contexts.splice(0)) await context.close();
    expect(wrongs.splice(0), "errors in the page").toEqual([]);
  });

  return async function open(path: string, options: PageOptions = {}): Promise<Page> {
    const { signedIn = true, language = "es", scheme = "light", width = wide } = options;
    const context = await browser.newContext({
      baseURL: url,
      // The browser's own language is the other one: only the panel's choice may count.
      locale: language === "es" ? "en-GB" : "es-ES",
      colorScheme: scheme,
      reducedMotion: "reduce",
      viewport: { width, height: 900 },
    });
    contexts.push(context);
    // Enough on a machine that is busy otherwise.
    context.setDefaultTimeout(30_000);
    if (language === "en") await context.addInitScript(() => localStorage.setItem("language", "en"));
    await keepToOneOrigin(context, wrongs);
    if (signedIn) await context.addCookies(await signedInCookies(context));

    const page = await context.newPage();
    page.on("pageerror", (error) => wrongs.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      // The browser's own line for an answer like 401: the tests that provoke one look at the screen.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        wrongs.push(message.text());
    });
    await page.goto(path);
    return page;
  };
}

/** Pictures come from elsewhere and are stood in for; nothing else may leave. */
async function keepToOneOrigin(context: BrowserContext, wrongs: string[]) {
  await context.route(
    (address) => address.origin !== new URL(url).origin,
    (route) => {
      if (route.request().resourceType() === "image")
        return route.fulfill({ contentType: "image/png", body: pixel });
      if (!["media", "document"].includes(route.request().resourceType()))
        wrongs.push(`a request left the panel: ${route.request().url()}`);
      return route.abort();
    },
  );
}

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;
let cookies: Cookies | undefined;

/** One sign-in for all pages that do not test signing in: it is slow on purpose, and throttled. */
async function signedInCookies(context: BrowserContext): Promise<Cookies> {
  if (!cookies) {
    const answer = await context.request.post("/api/auth/login", { data: admin, headers: { origin: url } });
    expect(answer.status(), await answer.text()).toBe(200);
    cookies = await context.cookies();
  }
  return cookies;
}

async function keepScreenshots(contexts: BrowserContext[], name: string) {
  await mkdir(screenshots, { recursive: true });
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  for (const [number, page] of contexts.flatMap((context) => context.pages()).entries())
    await page
      .screenshot({ path: join(screenshots, `${file}-${number}.png`), fullPage: true })
      .catch(() => {});
}

/**
 * axe finds nothing on a screen in each of these looks. A push loads the screen once and changes its look; nightly,
 * each look is loaded anew.
 */
export async function expectAccessibleIn(
  looks: readonly Look[],
  what: string,
  show: (look: Look) => Promise<Page>,
) {
  let shown: { page: Page; look: Look } | undefined;
  for (const look of looks) {
    const name = `${what}, ${look.scheme}, ${look.width} px`;
    if (shown && !nightly) {
      await changeLook(shown.page, look);
      // Another scheme changes colours only.
      await expectAccessible(shown.page, name, look.width === shown.look.width ? "colours" : "everything");
      shown.look = look;
    } else {
      shown = { page: await show(look), look };
      await expectAccessible(shown.page, name);
    }
  }
}

/** The same as `expectAccessibleIn`, in the middle of a flow: in light and in dark, and light afterwards. */
export async function expectAccessibleInBothSchemes(page: Page, what: string) {
  await expectAccessible(page, what);
  await changeLook(page, dark);
  await expectAccessible(page, `${what}, dark`, "colours");
  await changeLook(page, light);
}

async function changeLook(page: Page, { scheme, width }: Look) {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 900 });
  // The sign-in screen reads the scheme once, when it loads.
  await page.evaluate(
    (name) => document.documentElement.setAttribute("data-mantine-color-scheme", name),
    scheme,
  );
  // What follows the width is drawn in the first frame; what it loads, after the second.
  await page.evaluate(
    () => new Promise<void>((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn()))),
  );
}

/** Nothing for axe to complain about: every rule it has, best practices among them, or those of colours. */
export async function expectAccessible(
  page: Page,
  what: string,
  rules: "everything" | "colours" = "everything",
) {
  await page.waitForLoadState("networkidle");
  // Colours are judged as they end up, not half way through a transition.
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {}))));
  // The other mode opens a second page for each look, for frames of other origins: ours hold players of trailers only.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  if (rules === "colours") axe.withRules(["color-contrast", "link-in-text-block"]);
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.html.slice(0, 160)}`),
  }));
  expect(found, `axe on ${what}`).toEqual([]);
}

export async function expectPath(page: Page, path: string | RegExp) {
  const current = expect.poll(() => new URL(page.url()).pathname, { timeout: 30_000 });
  await (typeof path === "string" ? current.toBe(path) : current.toMatch(path));
}

export async function expectGone(locator: Locator) {
  await locator.waitFor({ state: "hidden" });
}

/** Removes every item of a kind, so that a test finds what it made and nothing else. */
export async function without(page: Page, ...kinds: string[]) {
  for (const kind of kinds) {
    const answer = await page.request.get(`/api/${kind}?_size=1000`);
    const { content } = (await answer.json()) as { content: { id: number }[] };
    for (const { id } of content)
      expect((await page.request.delete(`/api/${kind}/${id}`, { headers: { origin: url } })).status()).toBe(
        204,
      );
  }
}

export const withoutMovies = (page: Page) => without(page, "movies");

/** Makes what a test needs to be there already, without going through the form. */
export async function create<Made = { id: number }>(page: Page, path: string, data: unknown): Promise<Made> {
  const answer = await page.request.post(`/api/${path}`, { headers: { origin: url }, data });
  expect(answer.status(), await answer.text()).toBe(201);
  // A sport, or a show, comes in an envelope.
  const made = await answer.json();
  return made.sport ?? made.tvShow ?? made;
}

/** The number of the category with this Spanish name. */
export async function categoryId(page: Page, description: string): Promise<number> {
  const { content } = (await (await page.request.get("/api/categories?_size=1000")).json()) as {
    content: { id: number; description: string }[];
  };
  const found = content.find((category) => category.description === description);
  if (!found) throw new Error(`There is no category ${description}.`);
  return found.id;
}

/** Sets, or takes away, the base URL of channels or of radio stations. */
export async function setBaseUrl(page: Page, of: "channels" | "radio-stations", baseUrl: string) {
  const answer = await page.request.put(`/api/${of}-base-url`, {
    headers: { origin: url },
    data: { baseUrl },
  });
  expect(answer.status(), await answer.text()).toBeLessThan(300);
}
