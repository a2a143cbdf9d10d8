// The schedule's page beside the list of channels, and how it scrolls: `node scripts/schedule-page.mjs URL USERNAME PASSWORD
// [ROUNDS]`, against a server that runs, with a guide. A fourth of the processor; medians.
import { browser, median, signedIn } from "./measuring.mjs";

const [url, username, password, rounds = "5"] = process.argv.slice(2);
/** Turns of the mouse wheel, and pixels of each. */
const TURNS = 60;
const TURN = 120;

async function open(path, storageState, selector) {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    storageState,
  });
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.largestPaint = 0;
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      for (const paint of list.getEntries()) globalThis.largestPaint = paint.startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) globalThis.longTasks.push(task.duration);
    }).observe({ type: "longtask", buffered: true });
  });
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(path);
  await page.locator(selector).first().waitFor();
  await page.waitForLoadState("networkidle");
  return page;
}

/** Milliseconds until the largest paint, and how many elements there are. */
async function measure(path, storageState, selector) {
  const page = await open(path, storageState, selector);
  const paint = await page.evaluate(() => globalThis.largestPaint);
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  await page.context().close();
  return { paint, nodes };
}

/** Tasks over 50 ms while the wheel turns down, and the most elements meanwhile. */
async function scroll(path, storageState, selector) {
  const page = await open(path, storageState, selector);
  await page.evaluate(() => {
    globalThis.longTasks.length = 0;
  });
  const box = await page.getByRole("grid").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + Math.min(box.height, 600) / 2);
  let most = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    await page.mouse.wheel(0, TURN);
    await page.evaluate(
      () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))),
    );
    most = Math.max(most, await page.evaluate(() => document.querySelectorAll("*").length));
  }
  const tasks = await page.evaluate(() => globalThis.longTasks);
  await page.context().close();
  return { tasks, most };
}

const state = await signedIn(url, username, password);
const pages = {
  channels: ["/content/tv-channels", "tbody tr td a"],
  schedule: ["/content/guide", "[role=gridcell]"],
};
const paints = {};
for (const [name, [path, selector]] of Object.entries(pages)) {
  const measured = [];
  for (let round = 0; round < Number(rounds); round++) measured.push(await measure(path, state, selector));
  paints[name] = median(measured.map(({ paint }) => paint));
  const nodes = Math.max(...measured.map((one) => one.nodes));
  console.log(`${name}: largest paint ${Math.round(paints[name])} ms, ${nodes} elements`);
}
console.log(`schedule : channels = ${(paints.schedule / paints.channels).toFixed(2)} × (≤ 1.5 ×)`);
const { tasks, most } = await scroll(...[pages.schedule[0], state, pages.schedule[1]]);
const longest = Math.round(Math.max(0, ...tasks));
console.log(
  `scrolling ${TURNS} × ${TURN} px: ${tasks.length} tasks over 50 ms (none), the longest ${longest} ms; ${most} elements at most (≤ 1,500)`,
);
await browser.close();
