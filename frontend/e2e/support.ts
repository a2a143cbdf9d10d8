// A server for a file of tests, pages that notice what must never happen, and the axe check.
import { cp, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
  request,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { admin, freePort, setClock, startServer } from "./server";

export { admin } from "./server";

const port = await freePort();

/** Where the servers of this worker answer, one after the other: what the browser has in its cache stays good. */
export const url = `http://127.0.0.1:${port}`;

let folder = "";

/** Each file of tests has a server and a database to itself: no file depends on what another one left. */
export function serverOfOneFile() {
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "cartelera-browser-"));
    // With its log, where the database has one.
    await cp(inject("prepared"), folder, { recursive: true });
    ({ stop } = await startServer(folder, port, inject("filmDatabase")));
  });
  afterAll(async () => {
    for (const client of clients.values()) await (await client).request.dispose();
    clients.clear();
    await stop?.();
  });
}

/** Moves the clock of this file's server on by so many minutes, counted from the machine's. */
export const setServerClock = (minutes: number) => setClock(folder, minutes);

/** The nightly run repeats what a push proves once (docs/contributing.md lists it). Tests of it alone: `test.runIf(nightly)`. */
export const nightly = process.env.CARTELERA_NIGHTLY === "1";

/** Of several cases by name: all of them nightly, and on a push all but these. */
export function casesOf<Case>(all: Record<string, Case>, onlyNightly: readonly string[]): [string, Case][] {
  const unknown = onlyNightly.filter((name) => !(name in all));
  if (unknown.length > 0) throw new Error(`There is no case ${unknown.join(", ")}.`);
  return Object.entries(all).filter(([name]) => nightly || !onlyNightly.includes(name));
}

export type Language = "es" | "en";

/** Languages of the flows. That both have the same texts is proven in src/i18n; what a push runs in English: sessions, events. */
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
/** Between both: nightly (accessibilityOnTablets). */
export const tablet: Look = { scheme: "light", width: 768 };

interface PageOptions {
  /** Whether a user is signed in, without the form; true by default. */
  signedIn?: boolean;
  /** The user who is signed in; by default the administrator. */
  as?: string;
  language?: Language;
  scheme?: "light" | "dark";
  width?: number;
  /** With nothing in the browser's cache; what the test does to the page reaches no other test. */
  cold?: boolean;
  /** Follows the server's events. A stream never ends, and tests wait until the network is idle: else it is as behind a proxy. */
  events?: boolean;
}

const flags = [
  // Nothing but the product is reached.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const screenshots = join(dirname(fileURLToPath(import.meta.url)), "..", "test-results");
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let browser: Promise<Browser> | undefined;

/** One for each worker. It ends with the worker's process. */
function launched(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: flags,
  });
  return browser;
}

/** A page that tests have one after the other: it keeps its process and the browser's cache of the panel's files. */
interface Tab {
  context: BrowserContext;
  page: Page;
  devtools: CDPSession;
  language: Language;
  isReusable: boolean;
}

const idle: Record<Language, Tab[]> = { es: [], en: [] };
const wrongs: string[] = [];

/** An address of the same origin without the panel: to prepare a page before the panel is opened in it. */
export const blank = "/api/health/ready";

/** Opens pages on a server that runs until the end of the test file. */
export function pagesOfOneBrowser() {
  const used: Tab[] = [];
  serverOfOneFile();

  afterEach(async ({ task }) => {
    const isFailed = task.result?.state === "fail";
    if (isFailed)
      await keepScreenshots(
        used.map(({ context }) => context),
        task.name,
      );
    for (const tab of used.splice(0)) {
      if (!isFailed && tab.isReusable && (await reset(tab))) idle[tab.language].push(tab);
      else await tab.context.close();
    }
    expect(wrongs.splice(0), "errors in the page").toEqual([]);
  });

  return async function open(path: string, options: PageOptions = {}): Promise<Page> {
    const {
      signedIn = true,
      as = admin.username,
      language = "es",
      scheme = "light",
      width = wide,
      cold = false,
      events = false,
    } = options;
    const isReusable = !cold && !events;
    const tab = (isReusable && idle[language].pop()) || (await newTab({ language, events, isReusable }));
    used.push(tab);
    const { context, page } = tab;
    if (signedIn) await context.addCookies(await cookiesOf(as));
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme, media: null });
    await page.goto(path);
    return page;
  };
}

async function newTab({
  language,
  events,
  isReusable,
}: Pick<Tab, "language" | "isReusable"> & { events: boolean }): Promise<Tab> {
  const context = await newContext(await launched(), language);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await keepImagesHere(devtools);
  if (!events)
    await page.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
  page.on("pageerror", (error) => wrongs.push(String(error.stack ?? error)));
  page.on("console", (message) => {
    // The browser's own line for an answer like 401: the tests that provoke one look at the screen.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      wrongs.push(message.text());
  });
  return { context, page, devtools, language, isReusable };
}

async function newContext(browser: Browser, language: Language): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    // The browser's own language is the other one: only the panel's choice may count.
    locale: language === "es" ? "en-GB" : "es-ES",
    reducedMotion: "reduce",
  });
  // Enough on a machine that is busy otherwise.
  context.setDefaultTimeout(30_000);
  if (language === "en") await context.addInitScript(() => localStorage.setItem("language", "en"));
  resendReads(context);
  // No other address is resolved (`flags`); a request to one is reported.
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!protocol.startsWith("http") || origin === new URL(url).origin) return;
    if (!["image", "media", "document"].includes(request.resourceType()))
      wrongs.push(`a request left the panel: ${request.url()}`);
  });
  return context;
}

/** The server closes connections that nothing used for a while; a read that meets such an end is sent again. */
function resendReads({ request }: Client) {
  const get = request.get.bind(request);
  request.get = (address, options) => get(address, { maxRetries: 3, ...options });
}

/** Leaves the cache of files and the process of the page, and nothing else; false where it can't be used again. */
async function reset({ context, page, devtools }: Tab): Promise<boolean> {
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.unrouteAll();
    await context.unrouteAll();
    await context.setOffline(false);
    await context.clearPermissions();
    await context.clearCookies();
    // Nothing of the panel runs there, and the browser keeps the process.
    await page.goto(blank);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await devtools.send("Page.resetNavigationHistory");
    return true;
  } catch {
    return false;
  }
}

/** Answers pictures of other origins. Not by `route`, which turns the browser's cache off. */
async function keepImagesHere(devtools: CDPSession) {
  devtools.on("Fetch.requestPaused", ({ requestId, resourceType }) => {
    const answer =
      resourceType === "Image"
        ? devtools.send("Fetch.fulfillRequest", {
            requestId,
            responseCode: 200,
            responseHeaders: [{ name: "content-type", value: "image/png" }],
            body: pixel,
          })
        : devtools.send("Fetch.failRequest", { requestId, errorReason: "Failed" });
    // The page may be gone by now.
    answer.catch(() => {});
  });
  await devtools.send("Fetch.enable", { patterns: [{ urlPattern: "https://*" }] });
}

/** Sends requests as a user, from a page or without one. */
export interface Client {
  request: APIRequestContext;
}

const clients = new Map<string, Promise<Client>>();

/**
 * Signs in as a user, by default the administrator, without opening a page: for data that a test needs.
 * One sign-in for all of a file: it is slow on purpose, and throttled.
 */
export function clientOf(username = admin.username): Promise<Client> {
  const client = clients.get(username) ?? newClient(username);
  clients.set(username, client);
  return client;
}

async function newClient(username: string): Promise<Client> {
  const client = { request: await request.newContext({ baseURL: url, extraHTTPHeaders: { origin: url } }) };
  resendReads(client);
  await enter(client, username);
  return client;
}

/** Signs a user in without the form: later pages and requests have their session. */
export async function enter(client: Client, username: string, password = admin.password) {
  const answer = await client.request.post("/api/auth/login", {
    headers: { origin: url },
    data: { username, password },
    // The server may have closed the connection as idle at that moment.
    maxRetries: 2,
  });
  expect(answer.status(), await answer.text()).toBe(200);
}

async function cookiesOf(username: string) {
  const { request } = await clientOf(username);
  return (await request.storageState()).cookies;
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
  await loadAxe(page);
  // That state is of the document: what is fetched afterwards is pale until the answer is there.
  await page.waitForFunction(() => !document.querySelector("[data-stale]"));
  // Colours are checked after all transitions. Endless animations, such as spinners, are not awaited.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .map((one) => one.finished.catch(() => {})),
    ),
  );
  const only = rules === "colours" ? ["color-contrast", "link-in-text-block"] : undefined;
  const violations = await violationsOf(page, only);
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.html.slice(0, 160)}`),
  }));
  expect(found, `axe on ${what}`).toEqual([]);
}

/** The library is as large as the panel: once for each document. */
async function loadAxe(page: Page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
}

/** Runs axe in the page. Frames hold players of trailers only, which are of other origins. */
async function violationsOf(page: Page, rules?: string[]): Promise<axe.Result[]> {
  return page.evaluate(async (only) => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run(document, {
      iframes: false,
      // What is right is counted, not described: describing it takes half of the time.
      resultTypes: ["violations"],
      ...(only && { runOnly: { type: "rule", values: only } }),
    });
    return violations;
  }, rules);
}

export async function expectPath(page: Page, path: string | RegExp) {
  const current = expect.poll(() => new URL(page.url()).pathname, { timeout: 30_000 });
  await (typeof path === "string" ? current.toBe(path) : current.toMatch(path));
}

export async function expectGone(locator: Locator) {
  await locator.waitFor({ state: "hidden" }).catch(async (error: Error) => {
    // The reason: what it says, and where the focus is.
    const state = await locator.evaluate((element) => [
      (element as HTMLElement).innerText,
      document.activeElement?.outerHTML.slice(0, 300),
    ]);
    throw new Error(`${locator} stays: ${JSON.stringify(state)}`, { cause: error });
  });
}

/** Removes every item of a kind, so that a test finds what it made and nothing else. */
export async function without({ request }: Client, ...kinds: string[]) {
  for (const kind of kinds) {
    // The server may close a connection that was idle just when it is used again.
    const answer = await request.get(`/api/${kind}?_size=1000`, { maxRetries: 2 });
    const { content } = (await answer.json()) as { content: { id: number }[] };
    for (const { id } of content)
      expect((await request.delete(`/api/${kind}/${id}`, { headers: { origin: url } })).status()).toBe(204);
  }
}

export const withoutMovies = (client: Client) => without(client, "movies");

/** Makes what a test needs to be there already, without going through the form. */
export async function create<Made = { id: number }>(
  { request }: Client,
  path: string,
  data: unknown,
): Promise<Made> {
  // The server may close an idle connection at the moment at which it is used again: nothing was read of the request then.
  const answer = await request.post(`/api/${path}`, { headers: { origin: url }, data, maxRetries: 2 });
  expect(answer.status(), await answer.text()).toBe(201);
  // A sport, or a show, comes in an envelope.
  const made = await answer.json();
  return made.sport ?? made.tvShow ?? made;
}

/** The number of the category with this Spanish name. */
export async function categoryId({ request }: Client, description: string): Promise<number> {
  const { content } = (await (await request.get("/api/categories?_size=1000")).json()) as {
    content: { id: number; description: string }[];
  };
  const found = content.find((category) => category.description === description);
  if (!found) throw new Error(`There is no category ${description}.`);
  return found.id;
}

/** Sets or removes the base URL of channels or of radio stations. */
export async function setBaseUrl({ request }: Client, of: "channels" | "radio-stations", baseUrl: string) {
  const answer = await request.put(`/api/${of}-base-url`, {
    headers: { origin: url },
    data: { baseUrl },
  });
  expect(answer.status(), await answer.text()).toBeLessThan(300);
}
