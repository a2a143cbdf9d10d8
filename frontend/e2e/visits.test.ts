// The history of visits: sign-ins that write themselves down, filters, chart and file, in both languages.
import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { heading } from "./screens";
import {
  casesOf,
  clientOf,
  dark,
  expectAccessibleIn,
  expectPath,
  flowLanguages,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
  url,
} from "./support";
import { password, register } from "./users";

const open = pagesOfOneBrowser();
type Page = Awaited<ReturnType<typeof open>>;

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";

beforeAll(async () => {
  const client = await clientOf();
  await register(client, { username: "visit_ana", fullName: "Ana Visitas", roleCode: "agent" });
  await register(client, { username: "visit_leo", fullName: "Leo Visitas", roleCode: "contentManager" });
  for (const [username, device] of [
    ...Array.from({ length: 11 }, () => ["visit_ana", firefox] as const),
    ["visit_leo", '=HYPERLINK("http://x")'],
  ] as const) {
    const answer = await fetch(`${url}/api/auth/login`, {
      method: "POST",
      headers: { origin: url, "user-agent": device, "content-type": "application/json" },
      body: JSON.stringify({ username, password }),
    });
    expect(answer.status).toBe(200);
  }
});

const rows = (page: Page) => page.getByRole("table", { name: /^Historial|^Visit/ }).getByRole("row");
const showing = (page: Page, from: number, to: number, total: number) =>
  page.getByText(`Mostrando ${from} a ${to} de ${total} resultados`).waitFor();

test("a sign-in is there with name, browser and address, and leads to the user", async () => {
  const page = await open("/visit-history?username=visit_leo");
  await heading(page, "Historial de Visitas").waitFor();
  await showing(page, 1, 1, 1);
  const cells = await rows(page).nth(1).getByRole("cell").allInnerTexts();
  expect(cells[0]).toBe("Leo Visitas\nvisit_leo");
  expect([cells[2], ...cells.slice(4)]).toEqual([
    "Inicio de sesión",
    '=HYPERLINK("http://x")',
    "127.0.0.1",
    "Panel",
  ]);
  await page.getByRole("link", { name: "Leo Visitas" }).click();
  await expectPath(page, "/users/visit_leo");
  await heading(page, "Leo Visitas").waitFor();
  await page.goBack();
  await showing(page, 1, 1, 1);
});

test("filters narrow the list, are in the address, and going back takes them off", async () => {
  const page = await open("/visit-history");
  await rows(page).nth(1).waitFor();
  await page.getByRole("searchbox", { name: "Solo este usuario" }).fill("VISIT_ANA");
  await showing(page, 1, 10, 11);
  expect(new URL(page.url()).search).toBe("?username=VISIT_ANA");
  await page.getByRole("button", { name: "Página 2" }).click();
  await showing(page, 11, 11, 11);
  await page.getByRole("button", { name: "Añadir filtro" }).click();
  await page.getByRole("menuitem", { name: "Tipo" }).click();
  await page.getByRole("combobox", { name: "Tipo" }).selectOption("VISIT");
  await page.getByText("No hay datos disponibles.").waitFor();
  await page.goBack();
  await showing(page, 11, 11, 11);
  await page.getByRole("textbox", { name: "Desde" }).fill("01/01/2020");
  await page.getByRole("textbox", { name: "Hasta" }).fill("02/01/2020");
  await page.getByRole("textbox", { name: "Hasta" }).press("Tab");
  await page.getByText("No hay datos disponibles.").waitFor();
  expect(new URL(page.url()).search).toContain("from=2020-01-01&to=2020-01-02");
  await page.getByRole("button", { name: "Quitar búsqueda y filtros" }).click();
  await rows(page).nth(1).waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test.runIf(nightly)("a search looks in names and devices", async () => {
  const page = await open("/visit-history");
  await page.getByRole("searchbox", { name: /^Buscar por usuario/ }).fill("hyperlink");
  await showing(page, 1, 1, 1);
  await page.getByText("Leo Visitas").waitFor();
});

test("the chart has the days, as a picture and as a table", async () => {
  const page = await open("/visit-history?username=visit_ana");
  const chart = page.getByRole("region", { name: "Por día" });
  await chart.getByText("11 en total").waitFor();
  await chart.getByText("Nada en estos días").waitFor();
  await chart.getByText("Ver los días como tabla").click();
  expect(await chart.getByRole("row").count()).toBe(31);
  expect((await chart.getByRole("row").last().getByRole("cell").allInnerTexts())[0]).toBe("11");
  await page.goto("/visit-history?from=2020-01-01");
  await page.getByText("Demasiados días para el gráfico").waitFor();
  await rows(page).nth(1).waitFor();
});

const files = {
  es: ["Exportar…", "Descargar", "Usuario", ";", "Inicio de sesión"],
  en: ["Export…", "Download", "User name", ",", "Sign-in"],
} as const;

test.each(flowLanguages)("the file has what the filters keep, in %s", async (language) => {
  const [button, label, user, separator, kind] = files[language];
  const page = await open("/visit-history?username=visit_leo", { language });
  await rows(page).nth(1).waitFor();
  await page.getByRole("button", { name: button }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("CSV", { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("link", { name: label }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("visits.csv");
  const text = await readFile(await download.path(), "utf8");
  const lines = text.trim().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain(`"${user}"`);
  expect(lines[1]).toContain([kind, "visit_leo", "Leo Visitas"].map((cell) => `"${cell}"`).join(separator));
  // Not a formula.
  expect(lines[1]).toContain(`"'=HYPERLINK(""http://x"")"`);
});

test.runIf(nightly)("the page is in English too", async () => {
  const page = await open("/visit-history?username=visit_leo", { language: "en" });
  await heading(page, "Visit history").waitFor();
  await page.getByText("Showing 1 to 1 of 1 results").waitFor();
  await rows(page).nth(1).getByText("Sign-in").waitFor();
  await page.getByRole("region", { name: "By day" }).getByText("1 in total").waitFor();
});

test("without the permission the address redirects to the home page", async () => {
  const manager = await open("/visit-history", { as: "visit_leo" });
  await expectPath(manager, "/");
  expect((await manager.request.get(`${url}/api/visits`)).status()).toBe(403);
});

const paths = {
  "a user": "/visit-history?username=visit_ana",
  "an unknown user": "/visit-history?username=nobody_at_all",
  "too many days": "/visit-history?from=2020-01-01",
};

test.each(casesOf(paths, ["an unknown user", "too many days"]))("axe finds nothing: %s", (_, path) =>
  expectAccessibleIn([light, dark, narrow], path, async (look) => {
    const page = await open(path, look);
    await page
      .getByText(/^Mostrando|No hay datos/)
      .first()
      .waitFor();
    await page.getByText("Ver los días como tabla").or(page.getByText("Demasiados días")).first().waitFor();
    return page;
  }),
);
