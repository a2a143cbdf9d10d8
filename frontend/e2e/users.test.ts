// Users and their credits, from the administrator who stocks an agent to the customer whom the agent sells to.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { choose, dismissToast, field, heading, row, signIn } from "./screens";
import {
  admin,
  blank,
  clientOf,
  create,
  enter,
  expectGone,
  expectPath,
  flowLanguages,
  nightly,
  pagesOfOneBrowser,
} from "./support";
import { type UserWords, userWords } from "./userWords";
import { words } from "./words";

const open = pagesOfOneBrowser();
const agentPassword = "Secreta-2026";

const newUser = (username: string, fullName: string, roleCode = "app") => ({
  username,
  fullName,
  email: `${username}@example.com`,
  phoneNumber: "+34 600 123 456",
  password: roleCode === "app" ? "1234" : agentPassword,
  roleCode,
});
type NewUser = ReturnType<typeof newUser>;

async function fillIn(
  page: Page,
  { username, fullName, email, phoneNumber, password }: NewUser,
  u: UserWords,
) {
  await field(page, u.fields.fullName).fill(fullName);
  await field(page, u.fields.email).fill(email);
  await field(page, u.fields.phone).fill(phoneNumber);
  await field(page, u.fields.username).fill(username);
  await page.getByLabel(new RegExp(`^${u.fields.password}`)).fill(password);
}

const creditDialog = (page: Page, u: UserWords) => page.getByRole("dialog", { name: u.credits.dialog });

/** What the preview says of one balance, as «20 → 17». */
async function foretold(page: Page, label: string, u: UserWords): Promise<string> {
  const preview = creditDialog(page, u).getByRole("region", { name: u.credits.preview });
  const numbers = preview.locator("dl > div", { hasText: label }).locator("dd > :not(.visually-hidden)");
  return (await numbers.allInnerTexts()).filter(Boolean).join(" → ");
}

async function historyCount(page: Page, username: string): Promise<number> {
  return (await (await page.request.get(`/api/credits/history/${username}/count`)).json()).count;
}

const menuItem = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true });

beforeAll(async () => {
  await create(await clientOf(), "users", newUser("rival_customer", "Cliente ajeno"));
});

describe.each(flowLanguages)("in %s", (language) => {
  const u = userWords[language];
  const w = words[language];
  const agent = newUser(`agent_${language}`, `Norte ${language}`, "agent");
  const customer = newUser(`customer_${language}`, `Luisa Gil ${language}`);

  test("an administrator registers an agent and gives them stock", async () => {
    const page = await open("/", { language });
    await page.getByRole("button", { name: u.menu }).click();
    await menuItem(page, u.page).click();
    await heading(page, u.page).waitFor();
    await page.getByRole("link", { name: u.create }).click();

    await choose(page, u.fields.role, u.roles.agent);
    await page.getByRole("button", { name: u.create, exact: true }).click();
    await page.getByText(u.required).first().waitFor();
    await fillIn(page, agent, u);
    await page.getByRole("button", { name: u.create, exact: true }).dblclick();

    await dismissToast(page, u.created(agent.fullName), w);
    const dialog = creditDialog(page, u);
    await dialog.waitFor();
    expect(new URL(page.url()).searchParams.get("openCredits")).toBe(agent.username);
    await field(dialog, u.fields.amount).fill("14");
    await expect
      .poll(() => foretold(page, u.roles.agent === "Agente" ? "Créditos" : "Credits", u))
      .toBe("0 → 14");
    // An impatient hand gives once.
    await dialog.getByRole("button", { name: u.credits.add(14) }).dblclick();
    await dismissToast(page, u.credits.stocked(14, agent.fullName), w);
    await expectGone(dialog);
    await expect.poll(() => new URL(page.url()).search).toBe("");
    await row(page, agent.fullName).getByText(/^14\b/).waitFor();
    expect(await historyCount(page, agent.username)).toBe(1);
  });

  test("the agent registers a customer, and is led to sell them three months", async () => {
    const page = await open("/login", { signedIn: false, language });
    await signIn(page, agent, language);
    await page.getByRole("button", { name: w.menus.menuOf(agent.username) }).waitFor();
    await page.goto("/users/create");
    await fillIn(page, customer, u);
    await page.getByRole("button", { name: u.create, exact: true }).click();
    await dismissToast(page, u.created(customer.fullName), w);

    const dialog = creditDialog(page, u);
    await field(dialog, u.fields.amount).fill("3");
    await expect.poll(() => foretold(page, u.credits.mine, u)).toBe("14 → 11");
    await dialog.getByText(u.credits.lowStock).waitFor();
    await field(dialog, u.fields.reason).fill("Alta");
    await dialog.getByRole("button", { name: u.credits.add(3) }).click();
    await dismissToast(page, u.credits.sold(3, customer.fullName), w);
    await expectGone(dialog);

    const theirs = row(page, customer.fullName);
    await theirs.getByText(/^3\b/).waitFor();
    expect(await theirs.getByText(u.never).count()).toBe(0);
    // From the row, too; and what is left is what was foretold.
    await theirs.getByRole("button", { name: u.credits.open(customer.fullName) }).click();
    await field(dialog, u.fields.amount).fill("1");
    await expect.poll(() => foretold(page, u.credits.mine, u)).toBe("11 → 10");
  });

  test("the agent can't open another agent's customer by address, and has no action to delete", async () => {
    const page = await open(blank, { signedIn: false, language });
    await enter(page, agent.username, agent.password);
    await page.goto("/users/rival_customer/edit");
    await page.getByText(u.loadFailed).waitFor();
    await page.getByText(u.notFound).waitFor();
    await page.getByRole("link", { name: u.back }).click();
    await expectPath(page, "/users");
    expect(await row(page, "Cliente ajeno").count()).toBe(0);

    await row(page, customer.fullName)
      .getByRole("button", { name: u.more(customer.fullName) })
      .click();
    await menuItem(page, u.history(customer.fullName)).waitFor();
    expect(await menuItem(page, w.common.delete).count()).toBe(0);
    const history = menuItem(page, u.history(customer.fullName));
    expect(await history.getAttribute("href")).toBe(`/credits-history?username=${customer.username}`);

    await page.goto("/users?openCredits=rival_customer");
    await creditDialog(page, u).getByText(u.notFound).waitFor();
  });

  test.runIf(nightly)("who has no credits is not activated", async () => {
    const poor = newUser(`poor_${language}`, `Sin saldo ${language}`);
    await create(await clientOf(), "users", poor);
    const page = await open(`/users?search=${poor.username}`, { language });
    const status = page.getByRole("switch", { name: w.movies.toggle(poor.fullName) });
    await status.press("Space");
    await page
      .getByRole("button", { name: language === "es" ? "Desactivar" : "Deactivate", exact: true })
      .click();
    await row(page, poor.fullName)
      .getByText(language === "es" ? "Inactivo" : "Inactive")
      .waitFor();
    await page.waitForLoadState("networkidle");
    await status.press("Space");
    await dismissToast(page, u.withoutCredits, w);
    const answer = await page.request.get(`/api/users/${poor.username}`);
    expect(await answer.json()).toMatchObject({ status: "INACTIVE" });
  });

  test.runIf(nightly)("a user name that is in use is reported at its field", async () => {
    const page = await open("/users/create", { language });
    const second = newUser("RIVAL_customer", "Otra persona");
    await fillIn(page, second, u);
    await page.getByRole("button", { name: u.create, exact: true }).click();
    await page.getByText(u.inUse(second.username)).waitFor();
    await expect
      .poll(() => field(page, u.fields.username).evaluate((input) => input === document.activeElement))
      .toBe(true);
    expect(await field(page, u.fields.fullName).inputValue()).toBe("Otra persona");
  });
});

test.runIf(nightly)("users can't deactivate themselves", async () => {
  const u = userWords.es;
  const page = await open("/users?roleCode=superadmin");
  const own = row(page, admin.username);
  await own.getByRole("link", { name: u.history(admin.username) }).waitFor();
  expect(await own.getByRole("button").count()).toBe(0);
});

test("an edit is saved, and leads back to the list as it was left", async () => {
  const u = userWords.es;
  const page = await open("/users?search=rival");
  await row(page, "Cliente ajeno").getByRole("link", { name: "Cliente ajeno", exact: true }).click();
  await heading(page, "Cliente ajeno").waitFor();
  await page.getByRole("link", { name: u.edit("Cliente ajeno"), exact: true }).click();
  await heading(page, u.edit("Cliente ajeno")).waitFor();
  await field(page, "Vencimiento").fill("31/12/2030");
  await field(page, "Vencimiento").blur();
  await page.getByRole("button", { name: u.save }).click();
  await dismissToast(page, u.saved("Cliente ajeno"), words.es);
  expect(new URL(page.url()).search).toBe("?search=rival");
  await row(page, "Cliente ajeno").getByText("31 dic 2030").waitFor();
});
