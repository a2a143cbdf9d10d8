// What each role sees at /.
import { act, screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { sampleAdminDashboard, sampleAgentDashboard } from "../../testing/dashboards";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

function be(roleCode: string, permissions: string[] = []) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

/** The cards on top: what they say, and where they lead. */
async function cards() {
  const list = await screen.findByRole("list", { name: "Resumen" });
  await waitFor(() => expect(list.closest("[aria-busy]")).toHaveAttribute("aria-busy", "false"));
  return within(list)
    .getAllByRole("listitem")
    .map((card) => [card.textContent, within(card).queryByRole("link")?.getAttribute("href") ?? null]);
}

const panel = (name: string) => screen.findByRole("region", { name });

test.each(["admin", "superadmin"])(
  "%s: all users, and the cards lead to the users they count",
  async (role) => {
    be(role);
    renderPage("/");
    expect(await screen.findByRole("heading", { level: 1, name: "Panel de Administración" })).toBeVisible();
    expect(await cards()).toEqual([
      ["Total de usuarios1.20433 este mes · 30 el anterior", "/users"],
      ["Total de agentes18", "/users?roleCode=agent"],
      ["Usuarios vencidos31", "/users?status=expired"],
      ["Usuarios por vencer este mes9", "/users?status=aboutToExpire"],
    ]);
  },
);

test("the best selling agents, first to last, with what they sold", async () => {
  be("admin");
  renderPage("/");
  const ranking = await panel("Top 5 de agentes por ventas");
  const agents = await within(ranking).findAllByRole("listitem");
  expect(agents.map((agent) => agent.textContent)).toEqual([
    "1Lucía Díazlucia_diaz5.400 vendidos",
    "2Ramón Vegaramon_vega310 vendidos",
  ]);
  expect(within(ranking).getByRole("link", { name: "Lucía Díaz" })).toHaveAttribute(
    "href",
    "/credits-history?username=lucia_diaz",
  );
});

test("without sales the ranking says that there are none", async () => {
  be("admin");
  server.use(
    http.get("/api/admin/dashboard", () =>
      HttpResponse.json({ ...sampleAdminDashboard, topSellingAgents: [], expiringNext: [] }),
    ),
  );
  renderPage("/");
  expect(
    await within(await panel("Top 5 de agentes por ventas")).findByText("No hay datos disponibles"),
  ).toBeVisible();
  expect(screen.getByText("Nadie tiene un vencimiento próximo.")).toBeVisible();
});

test("active content links to the counted lists", async () => {
  be("admin");
  renderPage("/");
  const contents = await panel("Contenido activo");
  await within(contents).findByText("1.250");
  expect([...contents.querySelectorAll("dl > div")].map((count) => count.textContent)).toEqual([
    "Películas1.250",
    "Series40",
    "Episodios830",
    "Conciertos12",
    "Deportes0",
    "Documentales7",
  ]);
  expect(within(contents).getByRole("link", { name: "Series" })).toHaveAttribute(
    "href",
    "/content/tv-shows?active=true",
  );
});

test("who expires next is one click from their credits", async () => {
  be("agent", ["USER_READ"]);
  renderPage("/");
  const next = await panel("Próximos vencimientos");
  const items = await within(next).findAllByRole("listitem");
  expect(items.map((item) => item.textContent)).toEqual([
    expect.stringMatching(/^Pedro Gilpedro_gilVence mañana\d.*1 crédito$/),
    expect.stringMatching(/^Rosa Lunarosa_lunaVence dentro de 5 días\d.*3 créditos$/),
  ]);
  expect(items[0]?.querySelector("[data-urgency]")).toHaveAttribute("data-urgency", "soon");
  expect(within(next).getByRole("link", { name: "Pedro Gil" })).toHaveAttribute(
    "href",
    "/users?openCredits=pedro_gil",
  );
});

test("the months can be read as a table", async () => {
  be("admin");
  const { user } = renderPage("/");
  await user.click(await screen.findByText("Ver los valores en una tabla"));
  const rows = within(screen.getByRole("table")).getAllByRole("row");
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent).join(" | "))).toEqual([
    "Mes | Usuarios registrados | Créditos vendidos",
    "diciembre de 2025 | 0 | 0",
    "enero de 2026 | 3 | 120",
    "febrero de 2026 | 6 | 240",
    "marzo de 2026 | 9 | 360",
    "abril de 2026 | 12 | -2",
    ...["mayo", "junio", "julio", "agosto", "septiembre", "octubre"].map(
      (month, index) =>
        `${month} de 2026 | ${(index + 5) * 3} | ${((index + 5) * 120).toLocaleString("es", { useGrouping: "always" } as object)}`,
    ),
    "noviembre de 2026 (en curso) | 33 | 1.320",
  ]);
});

test("agent: its stock, its users, and where they lead", async () => {
  be("agent", ["USER_READ", "CREDIT_HISTORY_READ"]);
  renderPage("/");
  expect(await screen.findByRole("heading", { level: 1, name: "Panel de Agente" })).toBeVisible();
  expect(await cards()).toEqual([
    ["Créditos para venta disponibles351Vendidos este mes: 1.320 · el anterior: 1.200", "/credits-history"],
    ["Créditos de App disponibles64", "/users?roleCode=app"],
    ["Usuarios registrados4233 este mes · 30 el anterior", "/users"],
    ["Agentes registrados3", "/users?roleCode=agent"],
    ["Usuarios vencidos5", "/users?status=expired"],
    ["Usuarios por vencer este mes0", "/users?status=aboutToExpire"],
  ]);
  expect(screen.queryByText("Contenido activo")).not.toBeInTheDocument();
});

test.each([
  [11, true],
  [12, false],
  [13, false],
])("a stock of %i is low: %s", async (totalSaleCredits, isLow) => {
  be("agent");
  server.use(
    http.get("/api/agent/dashboard", () => HttpResponse.json({ ...sampleAgentDashboard, totalSaleCredits })),
  );
  renderPage("/");
  expect((await cards())[0]?.[0]).toContain(
    `Créditos para venta disponibles${totalSaleCredits}${isLow ? "Te quedan pocos" : "Vendidos"}`,
  );
  // In the top bar, on every page.
  const stock = await screen.findByTitle(`Créditos para venta: ${totalSaleCredits}`);
  expect(stock.hasAttribute("data-low")).toBe(isLow);
});

test("content manager: what there is to watch, and what viewers complain of", async () => {
  be("contentManager", ["MOVIE_READ", "ISSUES_READ"]);
  renderPage("/");
  expect(
    await screen.findByRole("heading", { level: 1, name: "Panel de Gestión de Contenido" }),
  ).toBeVisible();
  expect(await cards()).toEqual([
    ["Reportes pendientes17", "/issues"],
    ["Contenido activo2.139", null],
    ["Tipos de contenido6", null],
  ]);
  const issues = await panel("Reportes sin resolver");
  expect([...issues.querySelectorAll("dl > div")].map((count) => count.textContent)).toEqual([
    "TV4",
    "Radio0",
    "Películas0",
    "Documentales1",
    "Deportes0",
    "Conciertos0",
    "Episodios12",
    "Tráileres0",
  ]);
  const contents = await panel("Contenido activo");
  // To the lists that this user may open, and to no other.
  expect(
    within(contents)
      .getAllByRole("link")
      .map((link) => link.textContent),
  ).toEqual(["Películas"]);
});

test("content manager: tasks link to the lists of items with missing fields", async () => {
  be("contentManager", ["MOVIE_READ", "ISSUES_READ"]);
  const requested: (string | null)[] = [];
  server.use(
    http.get("/api/movies", ({ request }) => {
      const part = new URL(request.url).searchParams.get("missing");
      requested.push(part);
      const totalElements = part === "COVER" ? 12 : part === "LINKS" ? 1 : 0;
      return HttpResponse.json({ content: [], page: 0, size: 1, totalPages: 1, totalElements });
    }),
  );
  renderPage("/");
  const work = await panel("Por hacer");
  await within(work).findByText("12 sin portada");
  expect(
    within(work)
      .getAllByRole("link")
      .map((link) => [link.textContent, link.getAttribute("href")]),
  ).toEqual([
    ["17 sin resolver", "/issues"],
    ["1 sin enlaces", "/content/movies?missing=LINKS"],
    ["12 sin portada", "/content/movies?missing=COVER"],
  ]);
  expect(requested).toEqual(["LINKS", "COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS"]);
  // This user sees no other kinds, so none are requested.
  expect(backend.requests.filter((request) => request.includes("missing="))).toEqual([]);
});

test("content manager: a failed count is shown, and can be retried", async () => {
  be("contentManager", ["MOVIE_READ"]);
  let isFailing = true;
  server.use(
    http.get("/api/movies", ({ request }) => {
      const part = new URL(request.url).searchParams.get("missing");
      if (part === "COVER" && isFailing) return problem(400, { message: "Hoy no." });
      const totalElements = part === "COVER" ? 12 : 0;
      return HttpResponse.json({ content: [], page: 0, size: 1, totalPages: 1, totalElements });
    }),
  );
  const { user } = renderPage("/");
  const work = await panel("Por hacer");
  const failure = await within(work).findByRole("alert", { name: "No se pudo contar todo lo que falta" });
  expect(within(work).queryByText("No hay nada pendiente.")).toBeNull();
  isFailing = false;
  await user.click(within(failure).getByRole("button", { name: "Reintentar" }));
  await screen.findByText("12 sin portada");
});

const coverage = { percent: 87, gaps: 2, overlaps: 0, placeholders: 0 };
const health = (changes: object) => ({
  channels: 20,
  day: coverage,
  threeDays: coverage,
  guides: [
    { guideId: 1, channels: 20, day: coverage, threeDays: coverage, unused: 0, stale: true, shift: null },
    { guideId: 2, channels: 0, day: coverage, threeDays: coverage, unused: 4, stale: false, shift: null },
  ],
  without: [
    { reason: "NO_GUIDE", count: 1_200 },
    { reason: "NO_ID", count: 34 },
  ],
  ...changes,
});

test("content manager: how well the guides cover the channels, each number with its list", async () => {
  be("contentManager", ["TVGUIDE_READ", "TVCHANNEL_READ"]);
  server.use(http.get("/api/guide-health", () => HttpResponse.json(health({}))));
  renderPage("/");
  const guides = within(await panel("Guías de TV"));
  await guides.findByText("87 %");
  expect(
    guides
      .getAllByRole("link")
      .map((link) => [link.parentElement?.parentElement?.textContent, link.getAttribute("href")]),
  ).toEqual([
    ["Próximas 24 h cubiertas87 %", "/content/guide?show=uncovered&hours=24"],
    ["Canales sin guía1.234", "/content/guide?show=without"],
    ["Guías atrasadas1", "/content/guide-health?show=stale"],
  ]);
});

test("content manager: a number of nothing leads nowhere", async () => {
  be("contentManager", ["TVGUIDE_READ", "TVCHANNEL_READ"]);
  server.use(http.get("/api/guide-health", () => HttpResponse.json(health({ guides: [], without: [] }))));
  renderPage("/");
  const guides = within(await panel("Guías de TV"));
  await guides.findByText("87 %");
  expect(guides.getAllByRole("link").map((link) => link.textContent)).toEqual(["Próximas 24 h cubiertas"]);
});

test.each([
  ["No hay canales activos.", () => HttpResponse.json(health({ channels: 0 }))],
  ["No se pudo cargar el estado de las guías.", () => problem(500, { code: "INTERNAL", message: "" })],
])("content manager: the card of guides says: %s", async (text, answer) => {
  be("contentManager", ["TVGUIDE_READ", "TVCHANNEL_READ"]);
  server.use(http.get("/api/guide-health", answer));
  renderPage("/");
  expect(await within(await panel("Guías de TV")).findByText(text)).toBeVisible();
});

test("a chart says the value of the bar that the arrow keys reach", async () => {
  be("admin");
  const { user } = renderPage("/");
  const chart = await screen.findByRole("slider", { name: "Créditos vendidos" });
  act(() => chart.focus());
  expect(chart).toHaveAttribute("aria-valuetext", "noviembre de 2026: 1.320");
  await user.keyboard("{ArrowLeft}");
  expect(screen.getByText("octubre de 2026: 1.200")).toBeVisible();
});

test.each(["app", "something-new"])("the role %s finds no dashboard", async (role) => {
  be(role);
  renderPage("/");
  expect(await screen.findByRole("heading", { name: "Panel no disponible" })).toBeVisible();
  expect(screen.getByText(/Mi rol/, { selector: "main *" })).toBeVisible();
  expect(backend.requests.filter((request) => request.includes("dashboard"))).toEqual([]);
});

test("everything but the numbers is shown while the numbers load", async () => {
  be("admin");
  server.use(
    http.get("/api/admin/dashboard", async () => {
      await delay(300);
    }),
  );
  renderPage("/");
  const summary = await screen.findByRole("list", { name: "Resumen" });
  expect(summary.closest("[aria-busy]")).toHaveAttribute("aria-busy", "true");
  for (const title of [
    "Últimos 12 meses",
    "Próximos vencimientos",
    "Top 5 de agentes por ventas",
    "Contenido activo",
  ])
    expect(await panel(title)).toBeVisible();
  expect(await screen.findByText("1.204")).toBeVisible();
});

test("a dashboard that fails says why, and trying again brings it", async () => {
  be("admin");
  server.use(http.get("/api/admin/dashboard", () => problem(403, { message: "No tienes permiso." })));
  const { user } = renderPage("/");
  const box = await screen.findByRole("alert");
  expect(within(box).getByText("Error")).toBeVisible();
  expect(within(box).getByText("No tienes permiso.")).toBeVisible();
  server.resetHandlers();
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  expect(await screen.findByText("1.204")).toBeVisible();
});

test.each([
  ["es", "Error al cargar los datos del panel"],
  ["en", "Error loading dashboard data"],
] as const)("a failure without a message has one in %s", async (language, message) => {
  await chooseLanguage(language);
  be("agent");
  server.use(http.get("/api/agent/dashboard", () => problem(418, {})));
  renderPage("/");
  expect(await screen.findByText(message)).toBeVisible();
  expect(screen.getByText("Error")).toBeVisible();
});

test("the dashboard speaks English too", async () => {
  await chooseLanguage("en");
  be("admin");
  renderPage("/");
  expect(await screen.findByRole("heading", { name: "Administration dashboard" })).toBeVisible();
  expect(await screen.findByText("1,204")).toBeVisible();
  expect(screen.getByRole("heading", { name: "Top 5 selling agents" })).toBeVisible();
  expect(screen.getByText("Expires tomorrow")).toBeVisible();
});
