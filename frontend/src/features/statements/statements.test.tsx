// The monthly statement of an agent: its contents, whose it is, and the way through the months.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { monthAfter, type Statement } from "./queries";

const lucia = { username: "lucia_diaz", fullName: "Lucía Díaz" };

function statementOf(username: string, month: string): Statement {
  const line = (concept: Statement["lines"][number]["concept"], amount: number, movements = 1) => ({
    concept,
    amount,
    movements,
  });
  return {
    user: username === lucia.username ? lucia : { username, fullName: `Persona ${username}` },
    month,
    from: `${month}-01T00:00:00.000Z`,
    to: `${monthAfter(month, 1)}-01T00:00:00.000Z`,
    timeZone: "Europe/Madrid",
    complete: month < "2026-11",
    opening: 1200,
    lines:
      month === "2026-09"
        ? [line("RECEIVED_FROM_ADMINS", 0, 0)]
        : [
            line("RECEIVED_FROM_ADMINS", 500),
            line("RECEIVED_FROM_AGENTS", 0, 0),
            line("SOLD_TO_CUSTOMERS", -14, 4),
            line("REVERSED_IN", 2),
          ],
    closing: month === "2026-09" ? 1200 : 1688,
    rows:
      month === "2026-09"
        ? []
        : [
            {
              user: { username: "eva_1", fullName: "Eva Sol" },
              creditType: "SALE",
              sold: 10,
              received: 4,
              reversed: 0,
              net: 6,
            },
            {
              user: { username: "pedro_gil", fullName: "Pedro Gil" },
              creditType: "NORMAL",
              sold: 8,
              received: 0,
              reversed: 2,
              net: 6,
            },
          ],
    moreRows: false,
  };
}

const cells = (table: string) =>
  within(screen.getByRole("table", { name: table }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent));

beforeEach(() => {
  backend.user = {
    username: "admin",
    roleCode: "admin",
    roleName: "Administrador",
    permissions: [],
  } as unknown as typeof backend.user;
  server.use(
    http.get("/api/statements/:username", ({ params, request }) =>
      HttpResponse.json(
        statementOf(String(params.username), new URL(request.url).searchParams.get("month") ?? "2026-11"),
      ),
    ),
    http.get("/api/users", () =>
      HttpResponse.json({
        content: [{ ...lucia, id: lucia.username }],
        page: 0,
        size: 20,
        totalPages: 1,
        totalElements: 1,
      }),
    ),
  );
});

test("a statement goes from the stock at the beginning to the stock at the end, and says with whom", async () => {
  renderPage("/statements?username=lucia_diaz");
  await screen.findByRole("article", { name: "Estado de cuenta de Lucía Díaz" });
  expect(cells("Créditos para venta")).toEqual([
    ["Existencias iniciales", "", "1.200"],
    ["Recibido de administradores", "1", "+500"],
    ["Vendido a clientes", "4", "−14"],
    ["Reversiones a favor", "1", "+2"],
    ["Existencias finales", "", "1.688"],
  ]);
  expect(cells("Por cliente y agente")).toEqual([
    ["Eva Sol eva_1 · agente", "10", "4", "0", "6"],
    ["Pedro Gil pedro_gil", "8", "0", "2", "6"],
    ["Total", "18", "4", "2", "12"],
  ]);
  expect(screen.getByText(/mes en curso/)).toBeVisible();
  expect(screen.getByRole("link", { name: "Descargar CSV" })).toHaveAttribute(
    "href",
    "/api/statements/lucia_diaz/export?month=2026-11&language=es",
  );
});

test("arrows go through the months, in the address, and no further than this one", async () => {
  const { user, address } = renderPage("/statements?username=lucia_diaz");
  const next = await screen.findByRole("button", { name: "Mes siguiente" });
  expect(next).toBeDisabled();
  await user.click(screen.getByRole("button", { name: "Mes anterior" }));
  await screen.findByText("octubre de 2026", { selector: "output" });
  expect(address()).toBe("/statements?username=lucia_diaz&month=2026-10");
  await user.click(screen.getByRole("button", { name: "Mes anterior" }));
  await screen.findByText("Este mes no hubo movimientos.");
  expect(screen.queryByRole("table", { name: "Por cliente y agente" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Mes siguiente" }));
  await screen.findByText("Vendido a clientes");
  expect(screen.getByRole("button", { name: "Mes siguiente" })).toBeEnabled();
});

test("two clicks go two months back while the first statement loads; the export is disabled meanwhile", async () => {
  const { user, address } = renderPage("/statements?username=lucia_diaz&month=2026-11");
  await screen.findByRole("link", { name: "Descargar CSV" });
  server.use(http.get("/api/statements/:username", () => new Promise(() => {})));
  await user.click(screen.getByRole("button", { name: "Mes anterior" }));
  await user.click(screen.getByRole("button", { name: "Mes anterior" }));
  expect(address()).toBe("/statements?username=lucia_diaz&month=2026-09");
  expect(screen.getByText("septiembre de 2026")).toBeVisible();
  expect(screen.queryByRole("link", { name: "Descargar CSV" })).not.toBeInTheDocument();
  // Back again, and no further than the current month.
  const next = screen.getByRole("button", { name: "Mes siguiente" });
  await user.click(next);
  await user.click(next);
  expect(address()).toBe("/statements?username=lucia_diaz&month=2026-11");
  expect(next).toBeDisabled();
});

test("an admin chooses an agent first", async () => {
  const { user, address } = renderPage("/statements");
  await screen.findByText("Elige un agente para ver su estado de cuenta.");
  await user.click(screen.getByRole("combobox", { name: "Agente" }));
  await user.click(await screen.findByRole("option", { name: "Lucía Díaz (lucia_diaz)" }));
  await screen.findByRole("article", { name: "Estado de cuenta de Lucía Díaz" });
  expect(address()).toBe("/statements?username=lucia_diaz");
});

test("the name of the chosen agent is no search, also where the list has it otherwise", async () => {
  const searches: (string | null)[] = [];
  server.use(
    http.get("/api/users", ({ request }) => {
      searches.push(new URL(request.url).searchParams.get("search"));
      return HttpResponse.json({ content: [{ ...lucia, fullName: "Lucía Díaz Sol" }] });
    }),
  );
  const { user } = renderPage("/statements?username=lucia_diaz");
  await screen.findByRole("article", { name: "Estado de cuenta de Lucía Díaz" });
  const field = screen.getByRole("combobox", { name: "Agente" });
  await waitFor(() => expect(field).toHaveValue("Lucía Díaz Sol (lucia_diaz)"));
  await user.clear(field);
  await user.type(field, "eva");
  await waitFor(() => expect(searches).toContain("eva"));
  expect(searches.filter(Boolean)).toEqual(["eva"]);
});

test("an agent sees its own at once", async () => {
  backend.user = {
    username: "ana_1",
    fullName: "Ana Uno",
    roleCode: "agent",
    roleName: "Agente",
    permissions: ["CREDIT_HISTORY_READ"],
  } as unknown as typeof backend.user;
  renderPage("/statements");
  await screen.findByRole("article", { name: "Estado de cuenta de Persona ana_1" });
});

test("a user who does not exist is reported, and another agent can be chosen", async () => {
  server.use(
    http.get("/api/statements/:username", () =>
      problem(404, { code: "NOT_FOUND", message: "No existe ese usuario." }),
    ),
  );
  renderPage("/statements?username=nadie");
  await screen.findByText("No existe ese usuario.");
  expect(screen.queryByRole("button", { name: "Reintentar" })).toBeNull();
  expect(screen.getByRole("combobox", { name: "Agente" })).toBeVisible();
});

test.each(["month=2026-13", "month=0000-01", "month=9999-12", "month=ayer"])(
  "«%s» in the address is no month of a statement: the current one is shown",
  async (parameter) => {
    const months: (string | null)[] = [];
    server.use(
      http.get("/api/statements/:username", ({ request }) => {
        const month = new URL(request.url).searchParams.get("month");
        months.push(month);
        return month
          ? problem(422, { code: "VALIDATION_FAILED" })
          : HttpResponse.json(statementOf(lucia.username, "2026-11"));
      }),
    );
    const { address } = renderPage(`/statements?username=lucia_diaz&${parameter}`);
    expect(await screen.findByText("noviembre de 2026", { selector: "output" })).toBeVisible();
    expect(
      await screen.findByText(
        `La dirección pedía algo que esta página no tiene (${parameter}). Se muestra sin ello.`,
      ),
    ).toBeVisible();
    expect(address()).toBe("/statements?username=lucia_diaz");
    expect(months).toEqual([null]);
  },
);

test.each(["..", "../users", "a b"])("«%s» in the address is not a username", async (name) => {
  const { address } = renderPage(`/statements?username=${encodeURIComponent(name)}`);
  expect(await screen.findByText("Elige un agente para ver su estado de cuenta.")).toBeVisible();
  expect(await screen.findByText(/esta página no tiene/)).toHaveTextContent(`(username=${name})`);
  expect(address()).toBe("/statements");
});
