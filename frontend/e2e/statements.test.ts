// An agent's monthly statement: as the agent reads it, as an admin chooses it, and on paper.
import { beforeAll, expect, test } from "vitest";
import { heading } from "./screens";
import { clientOf, dark, expectAccessibleIn, light, narrow, pagesOfOneBrowser } from "./support";
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

test("an agent reads its own, month by month, and that of its agents", async () => {
  const page = await open("/credits-history", { as: "stat_agent" });
  await page.getByRole("link", { name: "Estado de cuenta" }).first().click();
  await heading(page, "Estado de cuenta").waitFor();
  const sheet = page.getByRole("article", { name: "Estado de cuenta de Ramón Vega" });
  await sheet.waitFor();
  const summary = sheet.getByRole("table", { name: "Créditos para venta" });
  expect(await summary.getByRole("row").allInnerTexts()).toEqual([
    "Concepto\tMovimientos\tCréditos",
    "Existencias iniciales\t\t0",
    "Recibido de administradores\t1\t+1.500",
    "Vendido a clientes\t2\t−15",
    "Entregado a sus agentes\t1\t−100",
    "Recuperado de sus agentes\t1\t+40",
    "Reversiones a favor\t1\t+3",
    "Existencias finales\t\t1.428",
  ]);
  await page.getByRole("button", { name: "Mes anterior" }).click();
  await sheet.getByText("Este mes no hubo movimientos.").waitFor();
  await page.getByRole("button", { name: "Mes siguiente" }).click();
  await sheet.getByText("Vendido a clientes").waitFor();
  await page.getByRole("combobox", { name: "Agente" }).fill("eva");
  await page.getByRole("option", { name: "Eva Sol (stat_below)" }).click();
  await page.getByRole("article", { name: "Estado de cuenta de Eva Sol" }).waitFor();
  expect(new URL(page.url()).searchParams.get("username")).toBe("stat_below");
});

test("an admin comes from the agent's form, and the file is the sheet", async () => {
  const page = await open("/users/stat_agent/edit");
  await page.getByRole("main").getByRole("link", { name: "Estado de cuenta" }).click();
  await page.getByRole("article", { name: "Estado de cuenta de Ramón Vega" }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Descargar CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^stat_agent-\d{4}-\d{2}\.csv$/);
  await page.emulateMedia({ media: "print" });
  for (const hidden of [page.locator(".top-bar"), page.getByRole("button", { name: "Imprimir" })])
    expect(await hidden.isVisible()).toBe(false);
  await page.getByText("Existencias finales").waitFor();
});

test("axe finds nothing on the statement", () =>
  expectAccessibleIn([light, dark, narrow], "statement", async (look) => {
    const page = await open("/statements?username=stat_agent", look);
    await page.getByText("Existencias finales").waitFor();
    return page;
  }));
