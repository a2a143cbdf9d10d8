// How long the sign-in and the first list take on a slow line, with nothing cached: `node scripts/first-paint.mjs URL
// USERNAME PASSWORD [ROUNDS]`, against a server that runs. 1.6 Mbit/s, 150 ms, a fourth of the processor; medians.
import { browser, median, signedIn } from "./measuring.mjs";

const [url, username, password, rounds = "5"] = process.argv.slice(2);
const line = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };

/** Milliseconds until a page has done what is waited for, and until its first paint. */
async function measure(path, storageState, isUsable) {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    storageState,
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", line);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  let bytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const start = performance.now();
  await page.goto(path, { waitUntil: "commit" });
  await isUsable(page);
  const usable = performance.now() - start;
  const paint = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  );
  await context.close();
  return { usable, paint, bytes };
}

/** Fills in the form as soon as it is there, and presses its button as soon as it can be pressed. */
async function signIn(page) {
  await page.locator("input[name=username]").fill(username);
  await page.locator("input[type=password]").fill(password);
  await page.locator("button[type=submit]").click();
}

const state = await signedIn(url, username, password);
for (const [name, path, own, isUsable] of [
  ["sign-in, its fields", "/login", undefined, (page) => page.locator("input[type=password]").waitFor()],
  ["sign-in, its button pressed", "/login", undefined, signIn],
  [
    "sign-in, sent after a press at once",
    "/login",
    undefined,
    (page) => Promise.all([page.waitForRequest("**/auth/login"), signIn(page)]),
  ],
  ["first list", "/content/movies", state, (page) => page.locator("tbody tr td a").first().waitFor()],
]) {
  const measured = [];
  for (let round = 0; round < Number(rounds); round++) measured.push(await measure(path, own, isUsable));
  const of = (key) => median(measured.map((one) => one[key]));
  console.log(
    `${name}: usable ${Math.round(of("usable"))} ms, first paint ${Math.round(of("paint"))} ms, ${Math.round(of("bytes") / 1000)} kB`,
  );
}
await browser.close();
