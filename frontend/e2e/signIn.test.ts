import { expect, test } from "vitest";
import { heading, signIn } from "./screens";
import { admin, expectGone, expectPath, pagesOfOneBrowser } from "./support";
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

test.each(["es", "en"] as const)(
  "a wrong password is told in %s, and typing clears the message",
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
    // Whether the user exists is nobody's business.
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

  const asked = page.waitForRequest("**/api/auth/login");
  await signIn(page, admin, "en");
  expect((await asked).headers()["accept-language"]).toMatch(/^en/);
  await page.getByRole("button", { name: words.en.menus.contents }).waitFor();
});

test("a session that ends meanwhile leads back through the sign-in screen to the same list", async () => {
  // Its own sign-in: the session is thrown away.
  const page = await open("/login", { signedIn: false });
  await signIn(page);
  await page.getByRole("button", { name: w.menus.menuOf(admin.username) }).waitFor();
  await page.goto("/content/categories?search=cine");
  await heading(page, "Categorías").waitFor();
  await page.getByRole("link", { name: "Cine español", exact: true }).waitFor();

  await page.context().clearCookies();
  await page.getByRole("link", { name: "Cine español", exact: true }).click();
  await expectPath(page, "/login");
  await page.getByText(w.signIn.expired).waitFor();

  await signIn(page);
  await expectPath(page, /^\/content\/categories\/\d+\/edit$/);
  await heading(page, "Editar «Cine español»").waitFor();
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

test("an unknown address leads home", async () => {
  const page = await open("/no/such/page");
  await expectPath(page, "/");
  const stranger = await open("/no/such/page", { signedIn: false });
  await expectPath(stranger, "/login");
});
