// Renewals: several customers at once, by an agent; an answer that gets lost and a reload in the middle sell nothing twice.
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { heading } from "./screens";
import {
  type Client,
  clientOf,
  dark,
  expectAccessible,
  expectAccessibleInBothSchemes,
  expectGone,
  flowLanguages,
  type Language,
  light,
  narrow,
  pagesOfOneBrowser,
} from "./support";
import { move, register } from "./users";

const open = pagesOfOneBrowser();

const words = {
  es: {
    title: "Renovaciones",
    select: (name: string) => `Seleccionar «${name}»`,
    selection: "Clientes seleccionados",
    renew: "Renovar",
    months: "Meses para cada uno",
    monthsOf: (name: string) => `Meses para «${name}»`,
    submit: (count: number) => `Renovar a ${count} clientes`,
    short: "No hay créditos para venta suficientes (saldo: 2).",
    unanswered: "Sin respuesta",
    retry: (count: number) => `Renovar a los ${count} que faltan`,
    retryOne: "Renovar al que falta",
    done: (count: number) => `${count} clientes renovados`,
    interrupted: "La renovación se interrumpió",
    one: "1 cliente renovado. Queda 1 sin renovar.",
    close: "Cerrar",
    expired: /^Vencidos/,
  },
  en: {
    title: "Renewals",
    select: (name: string) => `Select “${name}”`,
    selection: "Selected customers",
    renew: "Renew",
    months: "Months for each",
    monthsOf: (name: string) => `Months for “${name}”`,
    submit: (count: number) => `Renew ${count} customers`,
    short: "Not enough credits for sale: 2 left.",
    unanswered: "No answer",
    retry: (count: number) => `Renew the remaining ${count}`,
    retryOne: "Renew the remaining one",
    done: (count: number) => `${count} customers renewed`,
    interrupted: "The renewal was interrupted",
    one: "1 customer renewed. 1 has not been renewed.",
    close: "Close",
    expired: /^Expired/,
  },
} as const;

const names = ["Rosa Luna", "Hugo Lema", "Elena Campos"];
let run = 0;
let agent = "";
let customers: string[] = [];

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function ends({ request }: Client, username: string, days: number) {
  const answer = await request.patch(`/api/users/${username}`, {
    data: { expirationDate: inDays(days) },
  });
  expect(answer.status(), await answer.text()).toBe(200);
}

async function prepare() {
  run += 1;
  agent = `renew_agent_${run}`;
  customers = names.map((_, number) => `renew_${run}_${number}`);
  const admin = await clientOf();
  await register(admin, { username: agent, fullName: "Ramón Vega", roleCode: "agent" });
  await move(admin, "add-for-sale", agent, 8, "Compra");
  const seller = await clientOf(agent);
  for (const [number, username] of customers.entries()) {
    await register(seller, { username, fullName: names[number] ?? username, roleCode: "app" });
    await ends(admin, username, number + 1);
  }
}

async function openRenewals(path = "/renewals", language: Language = "es") {
  const page = await open(path, { as: agent, language });
  await heading(page, words[language].title).waitFor();
  return page;
}

const stock = async (page: Page) =>
  (await (await page.request.get(`/api/users/${agent}`)).json()).saleCredits as number;

async function choose(page: Page, language: Language, ...chosen: string[]) {
  const w = words[language];
  for (const name of chosen) await page.getByRole("checkbox", { name: w.select(name) }).click();
  const bar = page.getByRole("region", { name: w.selection });
  await bar.getByRole("button", { name: w.renew, exact: true }).click();
  return page.getByRole("dialog");
}

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];
  beforeEach(prepare);

  test("three customers are quoted together, and each is sold to once", async () => {
    const page = await openRenewals("/renewals", language);
    const dialog = await choose(page, language, ...names);
    await dialog.getByRole("button", { name: w.submit(3) }).waitFor();
    await dialog.getByRole("textbox", { name: w.months, exact: true }).fill("3");
    // The stock covers two of three, and the third with fewer months.
    await dialog.getByText(w.short).waitFor();
    await dialog.getByRole("textbox", { name: w.monthsOf("Elena Campos") }).fill("2");
    const submit = dialog.getByRole("button", { name: w.submit(3) });
    await submit.waitFor();
    await expect.poll(() => submit.isEnabled()).toBe(true);
    await expectAccessibleInBothSchemes(page, "quote of renewals");

    // The first sale is made, and its answer gets lost.
    await page.route(
      "**/api/credits/add",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await submit.click();
    await dialog.getByText(w.unanswered).waitFor();
    expect(await stock(page)).toBe(5);
    await expectAccessible(page, "a renewal without an answer");
    await dialog.getByRole("button", { name: w.retry(3) }).click();
    await dialog.getByText(w.done(3)).waitFor();
    expect(await stock(page)).toBe(0);
    await dialog.getByRole("button", { name: w.close }).last().click();
    await expectGone(dialog);
    const ledger = await (await page.request.get("/api/credits/ledger?operation=ADD_CREDITS")).json();
    expect(ledger.totalElements).toBe(3);
  });

  test("after a reload in the middle the ledger says what was sold", async () => {
    const page = await openRenewals("/renewals", language);
    const dialog = await choose(page, language, "Rosa Luna", "Hugo Lema");
    const submit = dialog.getByRole("button", { name: w.submit(2) });
    await expect.poll(() => submit.isEnabled()).toBe(true);
    page.once("dialog", (question) => void question.accept());
    // The first sale is made, and the page is reloaded before its answer comes.
    let sold = () => {};
    const isSold = new Promise<void>((done) => {
      sold = done;
    });
    await page.route(
      "**/api/credits/add",
      async (route) => {
        await route.fetch();
        sold();
      },
      { times: 1 },
    );
    await submit.click();
    await isSold;
    await page.reload();
    const again = page.getByRole("dialog", { name: w.interrupted });
    await again.getByText(w.one).waitFor();
    await again.getByRole("button", { name: w.retryOne }).click();
    await again.getByText(w.done(2)).waitFor();
    expect(await stock(page)).toBe(6);
  });
});

describe("what is only looked at", () => {
  beforeAll(prepare);

  test("axe finds nothing on the list, wide and narrow", async () => {
    const page = await openRenewals();
    await page.getByRole("link", { name: "Rosa Luna", exact: true }).waitFor();
    await page.getByRole("checkbox", { name: "Seleccionar «Rosa Luna»" }).click();
    // Colours are checked without the hover state of the row.
    await page.mouse.move(0, 0);
    for (const { scheme, width } of [light, dark, narrow]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.getByText("Rosa Luna", { exact: true }).waitFor();
      await expectAccessible(page, `renewals, ${scheme}, ${width} px`);
    }
    await page.getByRole("link", { name: words.es.expired }).click();
    await page.getByText("No hay datos disponibles.").waitFor();
    await expectAccessible(page, "renewals, no customer");
  });

  test("a customer is written to in their language, with their values", async () => {
    const page = await openRenewals();
    await page.getByRole("button", { name: "Escribir a «Rosa Luna»" }).click();
    const dialog = page.getByRole("dialog", { name: "Mensaje para Rosa Luna" });
    const text = dialog.getByRole("textbox", { name: "Texto" });
    await expect.poll(() => text.inputValue()).toMatch(/^Hola, Rosa Luna: tu suscripción \(renew_/);
    await dialog.getByRole("combobox", { name: "Idioma" }).selectOption("en");
    await expect.poll(() => text.inputValue()).toMatch(/^Hello, Rosa Luna: .* for 1 month\?$/);
    expect(await dialog.getByRole("link", { name: "WhatsApp" }).getAttribute("href")).toMatch(
      /^https:\/\/wa\.me\/34600123456\?text=Hello%2C%20Rosa%20Luna/,
    );
    await expectAccessibleInBothSchemes(page, "a message to a customer");
    await page.setViewportSize({ width: narrow.width, height: 900 });
    await expectAccessible(page, "a message to a customer on a phone");
  });
});
