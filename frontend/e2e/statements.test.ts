// An agent's monthly statement: as the agent reads it, as an admin chooses it, and on paper.
import { beforeAll, describe, expect, test } from "vitest";
import { heading } from "./screens";
import {
  clientOf,
  dark,
  expectAccessibleIn,
  flowLanguages,
  type Language,
  light,
  narrow,
  pagesOfOneBrowser,
} from "./support";
import { move, register } from "./users";

const open = pagesOfOneBrowser();

beforeAll(async () => {
  const admin = await clientOf();
  await register(admin, { username: "stat_agent", fullName: "Ramón Vega", roleCode: "agent" });
  await move(admin, "add-for-sale", "stat_agent", 1500);
  const agent = await clientOf("stat_agent");
  await register(agent, { username: "stat_rosa", fullName: "Rosa Luna", roleCode: "app" });
  await register(agent, { username: "stat_hugo", fullName: "Hugo Lema", roleCode: "app" });
  await register(agent, { username: "stat_below", fullName: "Eva Sol", roleCode: "agent" });
  await move(agent, "add", "stat_rosa", 12);
  const sale = await move(agent, "add", "stat_hugo", 3);
  await move(agent, "add-for-sale", "stat_below", 100);
  await move(agent, "deduct-for-sale", "stat_below", 40);
  const reversed = await admin.request.post(`/api/credits/${sale.id}/reverse`, { data: {} });
  expect(reversed.status()).toBe(201);
});

const words = {
  es: {
    link: "Estado de cuenta",
    title: "Estado de cuenta",
    of: (name: string) => `Estado de cuenta de ${name}`,
    stock: "Créditos para venta",
    rows: [
      "Concepto\tMovimientos\tCréditos",
      "Existencias iniciales\t\t0",
      "Recibido de administradores\t1\t+1.500",
      "Vendido a clientes\t2\t−15",
      "Entregado a sus agentes\t1\t−100",
      "Recuperado de sus agentes\t1\t+40",
      "Reversiones a favor\t1\t+3",
      "Existencias finales\t\t1.428",
    ],
    previous: "Mes anterior",
    nothing: "Este mes no hubo movimientos.",
    next: "Mes siguiente",
    sold: "Vendido a clientes",
    agent: "Agente",
    csv: "Descargar CSV",
    print: "Imprimir",
    closing: "Existencias finales",
  },
  en: {
    link: "Statements",
    title: "Statement",
    of: (name: string) => `Statement of ${name}`,
    stock: "Credits for sale",
    rows: [
      "Concept\tMovements\tCredits",
      "Opening stock\t\t0",
      "Received from admins\t1\t+1,500",
      "Sold to customers\t2\t−15",
      "Given to agents below\t1\t−100",
      "Taken back from agents below\t1\t+40",
      "Reversals, added\t1\t+3",
      "Closing stock\t\t1,428",
    ],
    previous: "Previous month",
    nothing: "No movements this month.",
    next: "Next month",
    sold: "Sold to customers",
    agent: "Agent",
    csv: "Download CSV",
    print: "Print",
    closing: "Closing stock",
  },
} as const;

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("an agent reads its own, month by month, and that of its agents", async () => {
    const page = await open("/credits-history", { as: "stat_agent", language });
    await page.getByRole("link", { name: w.link }).first().click();
    await heading(page, w.title).waitFor();
    const sheet = page.getByRole("article", { name: w.of("Ramón Vega") });
    await sheet.waitFor();
    const summary = sheet.getByRole("table", { name: w.stock });
    expect(await summary.getByRole("row").allInnerTexts()).toEqual(w.rows);
    await page.getByRole("button", { name: w.previous }).click();
    await sheet.getByText(w.nothing).waitFor();
    await page.getByRole("button", { name: w.next }).click();
    await sheet.getByText(w.sold).waitFor();
    await page.getByRole("combobox", { name: w.agent }).fill("eva");
    await page.getByRole("option", { name: "Eva Sol (stat_below)" }).click();
    await page.getByRole("article", { name: w.of("Eva Sol") }).waitFor();
    expect(new URL(page.url()).searchParams.get("username")).toBe("stat_below");
  });

  test("an admin comes from the agent's form, and the file is the sheet", async () => {
    const page = await open("/users/stat_agent/edit", { language });
    await page.getByRole("main").getByRole("link", { name: w.link }).click();
    await page.getByRole("article", { name: w.of("Ramón Vega") }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: w.csv }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^stat_agent-\d{4}-\d{2}\.csv$/);
    await page.emulateMedia({ media: "print" });
    for (const hidden of [page.locator(".top-bar"), page.getByRole("button", { name: w.print })])
      expect(await hidden.isVisible()).toBe(false);
    await page.getByText(w.closing).waitFor();
  });
});

test("axe finds nothing on the statement", () =>
  expectAccessibleIn([light, dark, narrow], "statement", async (look) => {
    const page = await open("/statements?username=stat_agent", look);
    await page.getByText("Existencias finales").waitFor();
    return page;
  }));
