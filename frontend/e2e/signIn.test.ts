import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { field, heading, signIn } from "./screens";
import {
  admin,
  expectAccessible,
  expectGone,
  expectPath,
  flowLanguages,
  nightly,
  pagesOfOneBrowser,
} from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;

test("who is not signed in is sent to the sign-in screen and, once in, to where they wanted to go", async () => {
  const page = await open("/content/movies?search=matrix&page=1", { signedIn: false });
  await expectPath(page, "/login");
  await heading(page, w.signIn.heading).waitFor();
  expect(await page.getByText(w.signIn.expired).count()).toBe(0);

  const submit = page.getByRole("button", { name: w.signIn.submit });
  expect(await submit.isDisabled()).toBe(true);
  await page.getByRole("textbox", { name: w.signIn.username }).fill(admin.username);
  expect(await submit.isDisabled()).toBe(true);

  await signIn(page);
  await heading(page, w.movies.page).waitFor();
  await expectPath(page, "/content/movies");
  expect(await page.getByRole("searchbox", { name: w.movies.search }).inputValue()).toBe("matrix");
});

test("the form can be filled in and sent before the program is there, which carries it out", async () => {
  const page = await open("/login", { signedIn: false });
  const held: (() => void)[] = [];
  let isHeld = true;
  await page.route("**/assets/sign-in-*.js", async (route) => {
    if (isHeld) await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  await page.reload({ waitUntil: "commit" });
  const password = page.getByLabel(w.signIn.password, { exact: true });
  await page.getByRole("textbox", { name: w.signIn.username }).fill(admin.username);
  await password.fill(admin.password);
  const submit = page.getByRole("button", { name: w.signIn.submit });
  expect(await submit.isEnabled()).toBe(true);
  await page.keyboard.press("Enter");
  await submit.and(page.locator("[aria-busy=true]")).waitFor();
  expect(await password.evaluate((input) => input === document.activeElement)).toBe(true);
  isHeld = false;
  for (const go of held) go();
  await page.getByRole("button", { name: w.menus.menuOf(admin.username) }).waitFor();
});

test("signing in replaces the entry in the history, and who is signed in sees no sign-in screen", async () => {
  const page = await open("/login", { signedIn: false });
  await signIn(page);
  await page.getByRole("button", { name: w.menus.menuOf(admin.username) }).waitFor();
  await expectPath(page, "/");
  await page.goBack();
  await page.goForward().catch(() => {});
  expect(new URL(page.url()).pathname).not.toBe("/login");
  await page.goto("/login");
  await expectPath(page, "/");
});

test.each(flowLanguages)(
  "a wrong password is reported in %s, and typing clears the message",
  async (language) => {
    const page = await open("/login", { signedIn: false, language });
    const { signIn: s } = words[language];
    await signIn(page, { username: admin.username, password: "not-this-one" }, language);
    const box = page.getByText(s.failed);
    await box.waitFor();
    await expectPath(page, "/login");

    const message = await page.locator("[aria-live=assertive]").innerText();
    await signIn(page, { username: "nobody_knows_me", password: "not-this-one" }, language);
    await box.waitFor();
    // The response does not disclose whether the user exists.
    expect(await page.locator("[aria-live=assertive]").innerText()).toBe(message);

    await page.getByLabel(s.password, { exact: true }).press("End");
    await page.keyboard.type("x");
    await expectGone(box);
  },
);

test("the language is chosen before signing in, kept, and sent along", async () => {
  const page = await open("/login", { signedIn: false });
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("es");
  await page.getByRole("button", { name: "English" }).click();
  await heading(page, words.en.signIn.heading).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
  await page.reload();
  await heading(page, words.en.signIn.heading).waitFor();

  const requested = page.waitForRequest("**/api/auth/login");
  await signIn(page, admin, "en");
  expect((await requested).headers()["accept-language"]).toMatch(/^en/);
  await page.getByRole("button", { name: words.en.menus.contents }).waitFor();
});

test("a session that ends meanwhile is renewed over the page, and the same save goes through in both tabs", async () => {
  // Its own sign-in: the session is thrown away.
  const page = await open("/login", { signedIn: false, width: 390, scheme: "dark" });
  await signIn(page);
  await page.getByRole("button", { name: w.menus.menuOf(admin.username) }).waitFor();
  const other = await page.context().newPage();
  const write = async (tab: Page, name: string) => {
    await tab.goto("/content/categories/create");
    await field(tab, "Descripción").fill(name);
    await field(tab, "Descripción en inglés").fill(`${name} (en)`);
  };
  await write(page, "Cine de la sesión");
  await write(other, "Cine de la otra pestaña");

  const dialogOf = (tab: Page) => tab.getByRole("dialog", { name: w.signIn.heading });
  const save = (tab: Page) => tab.getByRole("button", { name: "Crear categoría" }).click();
  // Both at once: what a tab requests by itself shows its dialog before a later click.
  await page.context().clearCookies();
  await Promise.all([save(other), save(page)]);
  for (const tab of [other, page]) {
    await dialogOf(tab).getByText(w.signIn.expired).waitFor();
    await expectPath(tab, "/content/categories/create");
  }
  await page.bringToFront();
  await expectAccessible(page, "session-expired");

  // By keyboard: neither Escape nor Tab leaves the dialog.
  await page.keyboard.press("Escape");
  for (let presses = 0; presses < 6; presses += 1) {
    await page.keyboard.press("Tab");
    expect(
      await page.evaluate(() => {
        const focused = document.activeElement;
        return focused === document.body || focused?.closest("dialog") !== null;
      }),
    ).toBe(true);
  }
  await dialogOf(page).getByLabel(w.signIn.password, { exact: true }).fill(admin.password);
  await page.keyboard.press("Enter");
  for (const [tab, name] of [
    [page, "Cine de la sesión"],
    [other, "Cine de la otra pestaña"],
  ] as const) {
    await expectPath(tab, "/content/categories");
    await tab.getByRole("link", { name, exact: true }).waitFor();
  }
});

test("an unsaved form of a closed window is restored", async () => {
  const page = await open("/content/categories/create");
  await field(page, "Descripción").fill("Cine a medias");
  await expect
    .poll(() => page.evaluate(() => JSON.stringify({ ...localStorage })), { timeout: 10_000 })
    .toContain("Cine a medias");
  const again = await page.context().newPage();
  await page.close();
  await again.setViewportSize({ width: 390, height: 844 });
  await again.emulateMedia({ colorScheme: "dark" });
  await again.goto("/content/categories/create");
  await again.getByText(/^Tenías cambios sin guardar de las/).waitFor();
  await expectAccessible(again, "unsaved changes");
  // By keyboard: the first thing after the heading.
  await again.getByRole("button", { name: "Recuperar" }).focus();
  await again.keyboard.press("Enter");
  expect(await field(again, "Descripción").inputValue()).toBe("Cine a medias");
  await field(again, "Descripción en inglés").fill("Half a cinema");
  await again.getByRole("button", { name: "Crear categoría" }).click();
  await expectPath(again, "/content/categories");
  await again.goto("/content/categories/create");
  await field(again, "Descripción").waitFor();
  expect(await again.getByText(/^Tenías cambios/).count()).toBe(0);
});

test("a session that ended before the panel was opened says so too", async () => {
  const page = await open("/login", { signedIn: false });
  await signIn(page);
  await page.getByRole("button", { name: w.menus.menuOf(admin.username) }).waitFor();
  await page.context().clearCookies();
  await page.goto("/content/movies");
  await expectPath(page, "/login");
  await page.getByText(w.signIn.expired).waitFor();
});

test("signing out ends the session and starts afresh", async () => {
  const page = await open("/login", { signedIn: false });
  await signIn(page);
  await page.getByRole("button", { name: w.menus.menuOf(admin.username) }).click();
  await page.getByRole("menuitem", { name: w.menus.signOut }).click();
  await expectPath(page, "/login");
  expect(await page.evaluate(() => localStorage.getItem("cartelera.user"))).toBeNull();
  expect((await page.request.get("/api/movies")).status()).toBe(401);
  await page.goto("/content/movies");
  await expectPath(page, "/login");
});

test.runIf(nightly)("an unknown address leads home", async () => {
  const page = await open("/no/such/page");
  await expectPath(page, "/");
  const stranger = await open("/no/such/page", { signedIn: false });
  await expectPath(stranger, "/login");
});
