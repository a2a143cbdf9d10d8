// The credit history: its rows, totals and filters.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem, sent } from "../../testing/backend";
import { lucia, sampleMovement, sampleSale, setMovements } from "../../testing/credits";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const listRequests = () => sent("GET /api/credits/ledger?");
const rows = async () => {
  await screen.findByText(/^Mostrando/);
  return within(screen.getByRole("table", { name: "Historial de Créditos" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell"));
};
const texts = async () => (await rows()).map((cells) => cells.map((cell) => cell.textContent));

function be(roleCode: string, permissions = ["CREDIT_HISTORY_READ"]) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

beforeEach(() => {
  be("admin");
  setMovements(...sampleSale, sampleMovement(5, { amount: 1, balanceAfter: 2 }));
});

test("a row says when, who, what, how much, from where to where, by whom and why", async () => {
  setMovements(
    sampleMovement(4, {
      targetUser: lucia,
      operationType: "ADD_CREDITS_FOR_SALE",
      creditType: "SALE",
      amount: 1500,
      balanceBefore: 12,
      balanceAfter: 1512,
      reason: "Factura 2026/114",
    }),
    sampleMovement(3, { operationType: "DEDUCT_CREDITS", amount: 2, balanceBefore: 4, balanceAfter: 2 }),
  );
  renderPage("/credits-history");
  const date = "20 nov 2026 10:15";
  const sale = ["Agregar Créditos para Venta", "Venta", "+1.500", "12", "1.512"];
  const own = ["Deducir Créditos de App", "Normal", "−2", "4", "2"];
  expect((await texts()).map((cells) => cells.slice(0, 9))).toEqual([
    [date, "Lucía Díazlucia_diaz", ...sale, "Jorge Molinaadmin", "Factura 2026/114"],
    [date, "Pedro Gilpedro_gil", ...own, "Jorge Molinaadmin", "—Sin valor"],
  ]);
  expect(screen.getByTitle("resultados")).toHaveTextContent("2");
  expect(screen.getByRole("searchbox", { name: "Buscar por usuario..." })).toBeVisible();
});

describe("the ledger", () => {
  test("has one line for a sale, from the seller's stock where that is filtered for", async () => {
    renderPage("/credits-history?username=lucia_diaz");
    const [line] = await texts();
    expect(line?.slice(1, 7)).toEqual([
      "Pedro Gilpedro_gil",
      "Añadir Créditos de App",
      "Venta",
      "−3",
      "1.200",
      "1.197 de lucia_diaz",
    ]);
    expect(await texts()).toHaveLength(1);
  });

  test("adds up what is filtered", async () => {
    renderPage("/credits-history");
    const totals = within(await screen.findByRole("region", { name: "Totales de lo filtrado" }));
    expect(totals.getByText("Variación neta, Normal").nextSibling).toHaveTextContent("+4");
    expect(totals.getByText("Añadir Créditos de App (2)").nextSibling).toHaveTextContent("+4");
  });

  test("is narrowed by type, days and performer, in the list, the totals and the file", async () => {
    const query = "operation=ADD_CREDITS&from=2026-11-01&to=2026-11-20&performedBy=lucia_diaz";
    const columns = [{ key: "amount", heading: "Cantidad" }];
    server.use(http.get("/api/spreadsheets/credits/columns", () => HttpResponse.json(columns)));
    const { user } = renderPage(`/credits-history?${query}`);
    await rows();
    expect(listRequests()).toEqual([`GET /api/credits/ledger?_page=0&_size=10&${query}`]);
    await waitFor(() => expect(backend.requests).toContain(`GET /api/credits/ledger/totals?${query}`));
    await user.click(await screen.findByRole("button", { name: "Exportar…" }));
    await screen.findByRole("checkbox", { name: "Cantidad" });
    expect(screen.getByRole("link", { name: "Descargar" })).toHaveAttribute(
      "href",
      `/api/spreadsheets/credits?format=xlsx&language=es&${query}`,
    );
  });

  test("is shown without a day of the address that is none", async () => {
    const { address } = renderPage("/credits-history?from=2026-11-01&to=2026-11-31");
    expect(await screen.findByText(/lista no tiene \(to=2026-11-31\)\. Se muestra sin ello\./)).toBeVisible();
    expect(address()).toBe("/credits-history?from=2026-11-01");
    await waitFor(() => expect(listRequests().at(-1)).toMatch(/&from=2026-11-01$/));
  });

  test("says in the file which operation one reverses", async () => {
    const columns = [
      { key: "reversesOperationId", heading: "Revierte la n.º" },
      { key: "other", heading: "Otra" },
    ];
    server.use(http.get("/api/spreadsheets/credits/columns", () => HttpResponse.json(columns)));
    const { user } = renderPage("/credits-history");
    await rows();
    await user.click(await screen.findByRole("button", { name: "Exportar…" }));
    expect(await screen.findByRole("checkbox", { name: "Revierte la n.º" })).toBeChecked();
    expect(screen.getByRole("checkbox", { name: "Otra" })).not.toBeChecked();
  });

  test("does not ask the server for what can be no user name: it finds nothing", async () => {
    const { user } = renderPage("/credits-history");
    await rows();
    const field = await screen.findByRole("searchbox", { name: "Usuario que lo realizó" });
    await user.type(field, "lu");
    expect(await screen.findByText("No hay datos disponibles.")).toBeVisible();
    expect(screen.queryByRole("region", { name: "Totales de lo filtrado" })).not.toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Exportar…" })).not.toBeInTheDocument();
    await user.type(field, "cia_diaz");
    await waitFor(() =>
      expect(listRequests().at(-1)).toBe("GET /api/credits/ledger?_page=0&_size=10&performedBy=lucia_diaz"),
    );
    expect(backend.requests.filter((request) => request.endsWith("performedBy=lu"))).toEqual([]);
  });

  test("takes who did it from its own field", async () => {
    const { user, address } = renderPage("/credits-history");
    await user.type(
      await screen.findByRole("searchbox", { name: "Usuario que lo realizó" }),
      "lucia_diaz{Enter}",
    );
    await waitFor(() => expect(address()).toBe("/credits-history?performedBy=lucia_diaz"));
  });
});

test("what is not normal was for sale", async () => {
  setMovements(sampleMovement(1, { creditType: "BONUS" as "SALE" }));
  renderPage("/credits-history");
  expect((await texts())[0]?.[3]).toBe("Venta");
});

test("reversed, reversal and imported are marked", async () => {
  setMovements(
    sampleMovement(3, { reversesOperationId: 2, operationType: "DEDUCT_CREDITS" }),
    sampleMovement(2, { reversed: true }),
    sampleMovement(1, { imported: true }),
  );
  renderPage("/credits-history");
  expect((await texts()).map((cells) => cells[2])).toEqual([
    "Deducir Créditos de App Reversión",
    "Añadir Créditos de App Revertido",
    "Añadir Créditos de App Importado",
  ]);
  // Neither what was reversed nor a reversal can be reversed.
  expect(screen.getAllByRole("button", { name: /^Revertir/ })).toHaveLength(1);
});

test("a long reason is collapsed until it is opened", async () => {
  const reason = "Se acordó con el cliente por teléfono. ".repeat(6);
  setMovements(sampleMovement(1, { reason }));
  const { user } = renderPage("/credits-history");
  const fold = await screen.findByRole("button", { name: "Ver más" });
  expect(fold).toHaveAttribute("aria-expanded", "false");
  await user.click(fold);
  expect(await screen.findByRole("button", { name: "Ver menos" })).toHaveAttribute("aria-expanded", "true");
});

describe("one user's movements", () => {
  test("come from the address; a chip with the name shows and removes them", async () => {
    const { user, address } = renderPage("/credits-history?username=pedro_gil");
    expect(await screen.findByText("Movimientos de Pedro Gil (pedro_gil)")).toBeVisible();
    expect(listRequests()).toEqual(["GET /api/credits/ledger?_page=0&_size=10&username=pedro_gil"]);
    expect(await rows()).toHaveLength(2);
    await user.click(screen.getByRole("button", { name: "Ver los movimientos de todos" }));
    await waitFor(() => expect(address()).toBe("/credits-history"));
    await waitFor(async () => expect(await rows()).toHaveLength(2));
    expect(screen.queryByText(/^Movimientos de/)).not.toBeInTheDocument();
  });

  test("are a click on the user away", async () => {
    const { user, address } = renderPage("/credits-history");
    await user.click((await screen.findAllByRole("link", { name: /Pedro Gil/ }))[0] as HTMLElement);
    expect(address()).toBe("/credits-history?username=pedro_gil");
    expect(await screen.findByText("Movimientos de Pedro Gil (pedro_gil)")).toBeVisible();
  });

  test("keep the name while a search finds none of them", async () => {
    const { user } = renderPage("/credits-history?username=pedro_gil");
    await screen.findByText("Movimientos de Pedro Gil (pedro_gil)");
    await user.type(screen.getByRole("searchbox", { name: "Buscar por usuario..." }), "nadie{Enter}");
    expect(await screen.findByText("No se encontraron resultados para tu búsqueda.")).toBeVisible();
    expect(screen.getByText("Movimientos de Pedro Gil (pedro_gil)")).toBeVisible();
  });

  test("of an unknown user: the server rejects it, and the chip can be removed", async () => {
    server.use(http.get("/api/credits/ledger", () => problem(404, { message: "Usuario no encontrado" })));
    const { user, address } = renderPage("/credits-history?username=nadie");
    expect(await screen.findByText("Usuario no encontrado")).toBeVisible();
    server.resetHandlers();
    await user.click(screen.getByRole("button", { name: "Ver los movimientos de todos" }));
    expect(await rows()).toHaveLength(2);
    expect(address()).toBe("/credits-history");
  });
});

test("page and order are in the address and reach the server", async () => {
  renderPage("/credits-history?page=2&size=25&sort=-amount&search=gil&username=pedro_gil");
  await waitFor(() =>
    expect(listRequests()).toContain(
      "GET /api/credits/ledger?_page=1&_size=25&_sort=-amount&search=gil&username=pedro_gil",
    ),
  );
});

test("without the permission the address redirects to the home page", async () => {
  be("contentManager", ["MOVIE_READ"]);
  const { address } = renderPage("/credits-history");
  await screen.findByRole("heading", { name: "Panel de Gestión de Contenido" });
  expect(address()).toBe("/");
});

test("a failure of the totals is shown above the list, and can be retried", async () => {
  server.use(
    http.get("/api/credits/ledger/totals", () => problem(400, { message: "Hoy no." }), { once: true }),
  );
  const { user } = renderPage("/credits-history");
  const failure = await screen.findByRole("alert", { name: "No se pudieron calcular los totales" });
  expect(failure).toHaveTextContent("Hoy no.");
  await user.click(within(failure).getByRole("button", { name: "Reintentar" }));
  await screen.findByRole("region", { name: "Totales de lo filtrado" });
});
