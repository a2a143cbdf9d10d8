// What measurements of the panel share: a browser, a session, medians.
import { chromium } from "playwright-core";

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

/** The state of a browser that has signed in. */
export async function signedIn(url, username, password) {
  const page = await browser.newPage({ baseURL: url });
  await page.goto("/login");
  await page.locator("input[autocomplete=username]").fill(username);
  await page.locator("input[type=password]").fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL((address) => address.pathname !== "/login");
  const state = await page.context().storageState();
  await page.close();
  return state;
}

export const median = (numbers) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
