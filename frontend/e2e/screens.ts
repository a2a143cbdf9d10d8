// Actions of users on the screens, by their texts.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { admin, type Language } from "./support";
import { type Words, words } from "./words";

type Place = Page | Locator;

/** A field of any kind by its label. */
export function field(place: Place, label: string): Locator {
  return place
    .getByRole("textbox", { name: label, exact: true })
    .or(place.getByRole("combobox", { name: label, exact: true }));
}

const optionOf = (place: Place, name: string) => {
  const page = "page" in place ? place.page() : place;
  return page.getByRole("option", { name, exact: true });
};

/** Takes one value of a list, or several, and leaves the field. */
export async function choose(place: Place, label: string, ...values: string[]) {
  const input = field(place, label);
  for (const value of values) {
    await input.click();
    await input.fill(value);
    await optionOf(place, value).click();
  }
  // Not by Tab: the next list would open, and cover what is below it.
  await input.blur();
}

export async function signIn(page: Page, { username, password } = admin, language: Language = "es") {
  const { signIn } = words[language];
  await page.getByRole("textbox", { name: signIn.username }).fill(username);
  await page.getByLabel(signIn.password, { exact: true }).fill(password);
  await page.getByRole("button", { name: signIn.submit }).click();
}

export const heading = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true });

/** Waits for the toast that says this, and for its end: it closes by itself where a slow machine presses too late. */
export async function dismissToast(page: Page, text: string, w: Words) {
  const toast = page.getByRole("alert").filter({ hasText: text });
  await toast.waitFor();
  const isHidden = toast.waitFor({ state: "hidden" });
  const isPressed = toast.getByRole("button", { name: w.common.close }).click({ timeout: 8_000 });
  // A press that came too late fails after the toast is gone; a toast that stays fails the test.
  isPressed.catch(() => {});
  await isHidden;
}

export async function search(page: Page, text: string, w: Words) {
  await page.getByRole("searchbox", { name: w.movies.search }).fill(text);
}

export const row = (page: Page, title: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name: title, exact: true }) });

/** The field of the look-up, which stands above a form that has one of the same name. */
export function lookupField(page: Page, w: Words) {
  return field(page, w.lookup.label).first();
}

export async function lookUp(page: Page, id: string, w: Words) {
  await lookupField(page, w).fill(id);
  await page.getByRole("button", { name: w.lookup.search, exact: true }).last().click();
}

interface NewLink {
  url: string;
  quality: string;
  audio: string[];
  subtitles?: string[];
}

export async function addLink(page: Page, { url, quality, audio, subtitles = [] }: NewLink, w: Words) {
  await page.getByRole("button", { name: w.links.add, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: w.links.add });
  await field(dialog, w.links.url).fill(url);
  await choose(dialog, w.links.quality, quality);
  await choose(dialog, w.links.audio, ...audio);
  if (subtitles.length > 0) await choose(dialog, w.links.subtitles, ...subtitles);
  await dialog.getByRole("button", { name: w.links.save, exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
}

/** The number of clicks, and the duration of a flow. */
export function pressesOn(page: Page) {
  let presses = 0;
  return {
    count: () => presses,
    press: async (place: Locator) => {
      presses += 1;
      await place.click();
    },
    /** Says what a piece of work took, with the presses since there were so many. */
    report: (work: string, milliseconds: number, before = 0) =>
      console.info(`${work}: ${presses - before} presses, ${milliseconds} ms`),
    page,
  };
}

/** Turns a switch off by its key. It is still off once the page is loaded anew. */
export async function turnOff(page: Page, toggle: Locator) {
  const stored = page.waitForResponse((one) => one.request().method() === "PATCH" && one.ok());
  await toggle.press("Space");
  await expect.poll(() => toggle.isChecked()).toBe(false);
  await stored;
  await page.reload();
  await expect.poll(() => toggle.isChecked()).toBe(false);
}
