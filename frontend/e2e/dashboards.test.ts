// What each role sees first, with numbers that the server counted.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { heading } from "./screens";
import {
  blank,
  casesOf,
  clientOf,
  dark,
  expectAccessible,
  expectAccessibleIn,
  expectAccessibleInBothSchemes,
  expectPath,
  flowLanguages,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
} from "./support";
import { move, register } from "./users";

const open = pagesOfOneBrowser();

const words = {
  es: {
    admin: "Panel de Administración",
    agent: "Panel de Agente",
    contentManager: "Panel de Gestión de Contenido",
    none: "Panel no disponible",
    expired: /Usuarios vencidos/,
    aboutToExpire: /Usuarios por vencer este mes/,
    users: /Total de usuarios/,
    top: "Top 5 de agentes por ventas",
    next: "Próximos vencimientos",
    table: "Ver los valores en una tabla",
    contents: "Contenido activo",
    issues: "Reportes sin resolver",
  },
  en: {
    admin: "Administration dashboard",
    agent: "Agent dashboard",
    contentManager: "Content management dashboard",
    none: "Dashboard not available",
    expired: /Expired users/,
    aboutToExpire: /Users about to expire this month/,
    users: /Total users/,
    top: "Top 5 selling agents",
    next: "Expiring soon",
    table: "Show the values in a table",
    contents: "Active content",
    issues: "Unresolved reports",
  },
};
const w = words.es;

beforeAll(async () => {
  const client = await clientOf();
  await register(client, { username: "dash_agent", fullName: "Lucía Díaz", roleCode: "agent" });
  await register(client, { username: "dash_content", fullName: "Elena Campos", roleCode: "contentManager" });
  await register(client, { username: "dash_viewer", fullName: "Luis Vera", roleCode: "app" });
  await move(client, "add-for-sale", "dash_agent", 40);
  const agent = await clientOf("dash_agent");
  await register(agent, { username: "dash_pedro", fullName: "Pedro Gil", roleCode: "app" });
  await move(agent, "add", "dash_pedro", 3);
});

const openAs = (username: string, options: Parameters<typeof open>[1] = {}) =>
  open("/", { ...options, as: username });

const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
/** Where a link leads: the page behind it may be built or not. */
const target = (page: Page, name: RegExp) => page.getByRole("link", { name }).getAttribute("href");

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("an admin's cards count and lead to the users that they count", async () => {
    const page = await open("/", { language });
    await heading(page, w.admin).waitFor();
    await panel(page, w.top).getByText("Lucía Díaz").waitFor();
    expect(await target(page, w.users)).toBe("/users");
    expect(await target(page, w.expired)).toBe("/users?status=expired");
    expect(await target(page, w.aboutToExpire)).toBe("/users?status=aboutToExpire");
    await panel(page, w.contents).getByRole("link").first().click();
    await expectPath(page, "/content/movies");
    expect(new URL(page.url()).search).toBe("?active=true");
  });

  test("an agent sees its own stock and its own users", async () => {
    const page = await openAs("dash_agent", { language });
    await heading(page, w.agent).waitFor();
    await panel(page, w.next).getByRole("link", { name: "Pedro Gil" }).waitFor();
    const cards = page.getByRole("list").first().getByRole("listitem");
    expect((await cards.allInnerTexts()).map((text) => /\d+/.exec(text)?.[0])).toEqual([
      "37",
      "3",
      "1",
      "0",
      "0",
      "0",
    ]);
    expect(await target(page, w.expired)).toBe("/users?status=expired");
    expect(await target(page, /Pedro Gil/)).toBe("/users?openCredits=dash_pedro");
  });

  test("a content manager sees the catalogue and the reports", async () => {
    const page = await openAs("dash_content", { language });
    await heading(page, w.contentManager).waitFor();
    await panel(page, w.issues).getByText("0").first().waitFor();
    expect(await panel(page, w.contents).getByRole("link").count()).toBe(6);
    expect(await page.getByText(w.top).count()).toBe(0);
  });

  test.runIf(nightly)("a viewer finds no dashboard", async () => {
    const page = await openAs("dash_viewer", { language });
    await heading(page, w.none).waitFor();
    await page.getByText(language === "es" ? "«Usuario»" : "“User”").waitFor();
  });
});

test.runIf(nightly)("the ranking leads to the agent's movements", async () => {
  const page = await open("/");
  await panel(page, w.top).getByRole("link", { name: "Lucía Díaz" }).click();
  await expectPath(page, "/credits-history");
  await page.getByText("Movimientos de Lucía Díaz (dash_agent)").waitFor();
});

test.runIf(nightly)("the months can be read by keyboard, as a table", async () => {
  const page = await openAs("dash_agent");
  await page.getByText(w.table).press("Enter");
  const last = page.getByRole("table").getByRole("row").last();
  await last.waitFor();
  expect(await last.getByRole("cell").allInnerTexts()).toEqual(["1", "3"]);
});

test.runIf(nightly)("a dashboard that cannot be loaded shows an error and a retry button", async () => {
  const page = await open(blank);
  let isDown = true;
  await page.route("**/api/admin/dashboard", (route) => (isDown ? route.abort() : route.fallback()));
  await page.goto("/");
  await page.getByRole("alert").filter({ hasText: "Error" }).waitFor();
  await expectAccessibleInBothSchemes(page, "failed dashboard");
  isDown = false;
  await page.getByRole("button", { name: "Reintentar" }).click();
  await panel(page, w.top).getByText("Lucía Díaz").waitFor();
});

test.runIf(nightly)("nothing moves when the numbers arrive", async () => {
  const page = await open(blank);
  await page.route("**/api/admin/dashboard", async (route) => {
    await new Promise((done) => setTimeout(done, 1500));
    await route.fallback();
  });
  await page.goto("/");
  const places = () =>
    page.evaluate(() =>
      [...document.querySelectorAll(".count-card, .panel")].map((part) => {
        const { top, left, width } = part.getBoundingClientRect();
        return [top, left, width].map(Math.round).join(" ");
      }),
    );
  await panel(page, w.top).waitFor();
  const before = await places();
  await panel(page, w.top).getByText("Lucía Díaz").waitFor();
  expect(await places()).toEqual(before);
});

describe("axe finds nothing", () => {
  test("admin", () =>
    expectAccessibleIn([light, dark], "admin's dashboard", async (look) => {
      const page = await open("/", look);
      await panel(page, w.top).getByText("Lucía Díaz").waitFor();
      await page.getByText(w.table).click();
      return page;
    }));

  const titles = { dash_agent: w.agent, dash_content: w.contentManager, dash_viewer: w.none };
  test.each(casesOf(titles, ["dash_content", "dash_viewer"]))("%s", (username, title) =>
    expectAccessibleIn([light, dark], title, async (look) => {
      const page = await openAs(username, look);
      await heading(page, title).waitFor();
      return page;
    }),
  );
});

test("axe finds nothing at 390 pixels, and nothing scrolls sideways", async () => {
  const page = await open("/", narrow);
  await panel(page, w.top).getByText("Lucía Díaz").waitFor();
  await expectAccessible(page, "admin's dashboard, 390 px");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
