// The history of credits, and taking a sale back.
import { beforeAll, expect, test } from "vitest";
import { heading } from "./screens";
import {
  clientOf,
  dark,
  expectAccessibleIn,
  expectGone,
  expectPath,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
  url,
} from "./support";
import { move, register } from "./users";

const open = pagesOfOneBrowser();
const longReason = "Se acordó con el cliente por teléfono, después de los cortes del fin de semana. ".repeat(
  3,
);

beforeAll(async () => {
  const admin = await clientOf();
  await register(admin, { username: "hist_agent", fullName: "Ramón Vega", roleCode: "agent" });
  await move(admin, "add-for-sale", "hist_agent", 1500, longReason);
  const agent = await clientOf("hist_agent");
  for (const [username, fullName] of [
    ["hist_rosa", "Rosa Luna"],
    ["hist_hugo", "Hugo Lema"],
  ] as const) {
    await register(agent, { username, fullName, roleCode: "app" });
    await move(agent, "add", username, 3, "Renovación");
  }
});

const rowsOf = (page: Awaited<ReturnType<typeof open>>) => page.getByRole("table").getByRole("row");

test("one user's movements come from the address, and the chip takes the filter off", async () => {
  const page = await open("/credits-history?username=hist_rosa");
  await heading(page, "Historial de Créditos").waitFor();
  await page.getByText("Movimientos de Rosa Luna (hist_rosa)").waitFor();
  await page.getByText("Mostrando 1 a 1 de 1 resultados").waitFor();
  expect((await rowsOf(page).nth(1).getByRole("cell").allInnerTexts()).slice(2, 6)).toEqual([
    "Añadir Créditos de App",
    "Normal",
    "+3",
    "0",
  ]);
  await page.getByRole("button", { name: "Ver los movimientos de todos" }).click();
  await expectGone(page.getByText("Movimientos de Rosa Luna (hist_rosa)"));
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("searchbox", { name: "Buscar por usuario..." }).fill("ramon");
  // The stock, and two sales: one line each, for any searched user.
  await page.getByText(/de 3 resultados/).waitFor();
  await page.goBack();
  await page.getByText("Movimientos de Rosa Luna (hist_rosa)").waitFor();
});

test.runIf(nightly)("the history is in English too, with its numbers", async () => {
  const page = await open("/credits-history?username=hist_agent&sort=-amount", { language: "en" });
  await heading(page, "Credit history").waitFor();
  const first = rowsOf(page).nth(1);
  await first.getByText("Add credits for sale").waitFor();
  expect((await first.getByRole("cell").allInnerTexts()).slice(3, 7)).toEqual([
    "Sale",
    "+1,500",
    "0",
    "1,500",
  ]);
  await first.getByRole("button", { name: "Show more" }).click();
  await first.getByRole("button", { name: "Show less" }).waitFor();
});

test("an agent sees what it and its users have, and reverses its own sales", async () => {
  const page = await open("/credits-history", { as: "hist_agent" });
  await page.getByText("Mostrando 1 a 3 de 3 resultados").waitFor();
  // Its stock came from an admin.
  expect(await page.getByRole("button", { name: /^Revertir/ }).count()).toBe(2);
});

test("an agent reverses a mistaken sale, and requests a reversal that it may not make", async () => {
  const agent = await clientOf("hist_agent");
  await register(agent, { username: "hist_nora", fullName: "Nora Sanz", roleCode: "app" });
  await move(agent, "add", "hist_nora", 2);
  const page = await open("/credits-history?username=hist_nora", { as: "hist_agent" });
  await page.getByRole("button", { name: "Revertir +2 de Nora Sanz" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revertir", exact: true }).click();
  await page.getByText("Se revirtió el movimiento de Nora Sanz").waitFor();

  // Another user adds credits: the sale is no longer the last movement.
  await move(agent, "add", "hist_nora", 5);
  await move(await clientOf(), "add", "hist_nora", 1);
  await page.reload();
  await page.getByRole("button", { name: "Revertir +5 de Nora Sanz" }).click();
  const dialog = page.getByRole("dialog", { name: "Revertir movimiento" });
  await dialog.getByLabel("Motivo (opcional)").fill("Era para otra persona");
  await dialog.getByRole("button", { name: "Revertir", exact: true }).click();
  await dialog.getByText(/han cambiado desde la venta/).waitFor();
  await dialog.getByRole("button", { name: "Pedir la reversión" }).click();
  await page.getByText("Solicitudes de reversión pendientes: 1").waitFor();

  await expectAccessibleIn([light, dark, narrow], "requests for reversals", async (look) => {
    const looking = await open("/credits-history?username=hist_nora", look);
    await looking.getByText("«Era para otra persona»").waitFor();
    return looking;
  });
  const admin = await open("/credits-history?username=hist_nora");
  await admin.getByRole("textbox", { name: "Nota sobre la solicitud de Nora Sanz" }).fill("De acuerdo");
  await admin.getByRole("button", { name: "Aprobar la reversión de Nora Sanz" }).click();
  await admin.getByText("Se revirtió el movimiento de Nora Sanz").waitFor();
  await expectGone(admin.getByText("Solicitudes de reversión pendientes: 1"));
  await page.reload();
  await page.getByText("Solicitudes de reversión pendientes: 0").click();
  await page.getByText("Aprobada").waitFor();
});

test("an admin takes a sale back, once", async () => {
  const page = await open("/credits-history?username=hist_hugo");
  // The same page before any reversal.
  const late = await open("/credits-history?username=hist_hugo");
  const button = (of: typeof page) => of.getByRole("button", { name: "Revertir +3 de Hugo Lema" });
  await button(late).waitFor();

  await button(page).click();
  const dialog = page.getByRole("dialog", { name: "Revertir movimiento" });
  await dialog.getByText("Hugo Lema (hist_hugo) pierde 3 créditos de App.").waitFor();
  await dialog.getByText("Ramón Vega (hist_agent) recupera 3 créditos para venta.").waitFor();
  await dialog.getByText(/^Hugo Lema se queda otra vez sin vencimiento/).waitFor();
  await dialog.getByLabel("Motivo (opcional)").fill("Pago rechazado");
  await dialog.getByRole("button", { name: "Revertir", exact: true }).dblclick();
  await page.getByText("Se revirtió el movimiento de Hugo Lema").waitFor();
  await expectGone(dialog);
  await page.getByText("Mostrando 1 a 2 de 2 resultados").waitFor();
  await page.getByText("Reversión").waitFor();
  await page.getByText("Revertido").waitFor();
  expect(await page.getByRole("button", { name: /^Revertir/ }).count()).toBe(0);

  const user = await (await page.request.get("/api/users/hist_hugo")).json();
  expect(user).toMatchObject({ credits: 0, expirationDate: null });
  const agent = await (await page.request.get("/api/users/hist_agent")).json();
  expect(agent.saleCredits).toBe(1497);

  await button(late).click();
  const again = late.getByRole("dialog", { name: "Revertir movimiento" });
  await again.getByRole("button", { name: "Revertir", exact: true }).click();
  await again.getByText("Este movimiento ya se revirtió.").waitFor();
  // The list behind has noticed, too.
  await again.getByRole("button", { name: "Cancelar" }).click();
  await late.getByText("Revertido").waitFor();
});

test.runIf(nightly)("without the permission the address redirects to the home page", async () => {
  await register(await clientOf(), {
    username: "hist_content",
    fullName: "Elena Campos",
    roleCode: "contentManager",
  });
  const manager = await open("/credits-history", { as: "hist_content" });
  await expectPath(manager, "/");
  expect((await manager.request.get(`${url}/api/credits`)).status()).toBe(403);
});

test("axe finds nothing on the list", () =>
  expectAccessibleIn([light, dark, narrow], "credit history", async (look) => {
    const page = await open("/credits-history?username=hist_agent", look);
    if (look === narrow)
      await page.getByRole("list", { name: "Historial de Créditos" }).getByRole("listitem").first().waitFor();
    else await page.getByRole("button", { name: "Ver más" }).click();
    return page;
  }));

test.runIf(nightly)("axe finds nothing on the reversal", () =>
  expectAccessibleIn([light, dark], "reversal", async (look) => {
    const page = await open("/credits-history?username=hist_rosa", look);
    await page.getByRole("button", { name: /^Revertir/ }).click();
    await page
      .getByRole("dialog")
      .getByText(/recupera 3/)
      .waitFor();
    return page;
  }),
);

test.each(nightly ? [1440, 1920, 768] : [1440])(
  "at %i px every value of a movement, and every header, is in its column and in sight",
  async (width) => {
    const page = await open("/credits-history", { width });
    await page.getByText(/^Mostrando/).waitFor();
    const wrong = await page.evaluate(() => {
      const rows = [...document.querySelectorAll("tbody tr")];
      const frame = document.querySelector(".table-frame")?.getBoundingClientRect();
      // On a tablet the widest header ends in an ellipsis.
      const headers =
        innerWidth < 1440 ? [] : [...document.querySelectorAll("thead :is(th, .sort-header span)")];
      const cut = headers.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
      const values = rows.flatMap((row) => {
        const cells = [...row.querySelectorAll("td")];
        return cells.flatMap((cell, index) => {
          const box = cell.getBoundingClientRect();
          const isCut = cell.scrollWidth > cell.clientWidth + 1;
          const isOutside = !frame || box.right > frame.right + 1;
          // Under the actions, which stay in sight.
          const actions = cells.at(-1)?.getBoundingClientRect();
          const isCovered = index < cells.length - 1 && actions !== undefined && box.right > actions.left + 1;
          return isCut || isOutside || isCovered ? [`${index}: ${cell.textContent}`] : [];
        });
      });
      return [...cut.map(({ textContent }) => textContent), ...values];
    });
    expect(wrong).toEqual([]);
  },
);
