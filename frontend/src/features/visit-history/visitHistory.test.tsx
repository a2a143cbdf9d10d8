// The history of visits: its list, its filters, its chart and its file.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { backend, problem, sent } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleVisit, setVisits } from "../../testing/visits";

const listRequests = (start = "GET /api/visits?") => sent(start);
const rows = async () => {
  await screen.findByText(/^Mostrando/);
  return within(screen.getByRole("table", { name: "Historial de Visitas" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell"));
};

function be(roleCode: string, permissions: string[] = []) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

beforeEach(() => {
  be("admin");
  setVisits(
    sampleVisit(3),
    sampleVisit(2, {
      kind: "SIGN_IN",
      username: "jefa",
      fullName: null,
      registered: false,
      device: "Samsung Tizen 7",
      content: null,
      address: null,
      source: null,
    }),
  );
});

test("who registered after the visit is not called unregistered", async () => {
  setVisits(sampleVisit(4, { username: "jefa", fullName: null, registered: true }));
  renderPage("/visit-history");
  const [[userCell] = []] = await rows();
  expect(userCell).toHaveTextContent(/^jefa$/);
  expect(within(userCell as HTMLElement).getByRole("link", { name: "jefa" })).toHaveAttribute(
    "href",
    "/users/jefa",
  );
});

test("a row says who, when, what for, what, with what, from where and who reported it", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-22T12:00:00Z") });
  renderPage("/visit-history");
  expect((await rows()).map((cells) => cells.map((cell) => cell.textContent))).toEqual([
    [
      "Pedro Gilpedro_gil",
      "anteayer 10:15",
      "Visita",
      "DunePelícula",
      "Chrome · Android",
      "203.0.113.7",
      "App de TV",
    ],
    [
      "jefaSin registrar",
      "anteayer 10:15",
      "Inicio de sesión",
      "—Sin valor",
      "Samsung Tizen 7",
      "—Sin valor",
      "Panel",
    ],
  ]);
  expect(screen.getByTitle("resultados")).toBeVisible();
});

test("registered users are found by callers who may read them", async () => {
  renderPage("/visit-history");
  await rows();
  expect(screen.getByRole("link", { name: "Pedro Gil" })).toHaveAttribute("href", "/users/pedro_gil");
  expect(screen.queryByRole("link", { name: "jefa" })).toBeNull();
});

test("without the permission to see users no name is a link", async () => {
  be("contentManager", ["VIEW_HISTORY_READ"]);
  renderPage("/visit-history");
  await rows();
  expect(screen.queryByRole("link", { name: "Pedro Gil" })).toBeNull();
});

test("without the right to it one is sent home", async () => {
  be("contentManager");
  const { address } = renderPage("/visit-history");
  await waitFor(() => expect(address()).toBe("/"));
});

test("the filters are in the address, and narrow list, chart and file alike", async () => {
  const { user, address } = renderPage("/visit-history?username=pedro_gil&from=2026-11-01&to=2026-11-20");
  await rows();
  const same = "username=pedro_gil&from=2026-11-01&to=2026-11-20";
  expect(listRequests()).toEqual([`GET /api/visits?_page=0&_size=10&${same}`]);
  expect(listRequests("GET /api/visits/per-day")).toEqual([`GET /api/visits/per-day?${same}`]);
  const columns = [{ key: "username", heading: "Usuario" }];
  server.use(http.get("/api/spreadsheets/visits/columns", () => HttpResponse.json(columns)));
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  await screen.findByRole("checkbox", { name: "Usuario" });
  expect(screen.getByRole("link", { name: "Descargar" })).toHaveAttribute(
    "href",
    `/api/spreadsheets/visits?format=xlsx&language=es&${same}`,
  );
  await user.click(screen.getByRole("button", { name: "Cancelar" }));
  expect(screen.getByRole("searchbox", { name: "Solo este usuario" })).toHaveValue("pedro_gil");
  expect(await screen.findByRole("textbox", { name: "Desde" })).toHaveValue("01/11/2026");
  await user.click(screen.getByRole("button", { name: "Quitar Desde" }));
  await waitFor(() => expect(address()).toBe("/visit-history?username=pedro_gil&to=2026-11-20"));
  expect(screen.getByRole("textbox", { name: "Hasta" })).toHaveValue("20/11/2026");
});

test.each(["2026-99-99", "2026-02-30", "ayer"])(
  "«%s» in the address is no day: that is said, and the list is shown without it",
  async (day) => {
    const refused = ({ request }: { request: Request }) =>
      new URL(request.url).searchParams.has("from") ? problem(422, { code: "VALIDATION_FAILED" }) : undefined;
    server.use(http.get("/api/visits", refused), http.get("/api/visits/per-day", refused));
    const { address } = renderPage(`/visit-history?from=${day}&to=2026-11-20`);
    expect(
      await screen.findByText(
        `La dirección pedía algo que esta lista no tiene (from=${day}). Se muestra sin ello.`,
      ),
    ).toBeVisible();
    expect(await rows()).toHaveLength(2);
    expect(address()).toBe("/visit-history?to=2026-11-20");
    expect(await screen.findByRole("textbox", { name: "Hasta" })).toHaveValue("20/11/2026");
  },
);

test("typing a user name and choosing a kind narrows", async () => {
  const { user, address } = renderPage("/visit-history");
  await rows();
  await user.type(screen.getByRole("searchbox", { name: "Solo este usuario" }), "jefa{Enter}");
  await waitFor(() => expect(address()).toBe("/visit-history?username=jefa"));
  await waitFor(async () => expect(await rows()).toHaveLength(1));
  await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
  await user.click(await screen.findByRole("menuitem", { name: "Tipo" }));
  await user.selectOptions(await screen.findByLabelText("Tipo"), "VISIT");
  await waitFor(() => expect(address()).toBe("/visit-history?username=jefa&kind=VISIT"));
  expect(await screen.findByText("No hay datos disponibles.")).toBeVisible();
});

test("a failing list can be tried again", async () => {
  server.use(http.get("/api/visits", () => problem(400, { message: "Algo va mal." }), { once: true }));
  const { user } = renderPage("/visit-history");
  expect(await screen.findByText("Error al cargar los datos")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  expect(await rows()).toHaveLength(2);
});

describe("the chart", () => {
  const chart = () => screen.findByRole("region", { name: "Por día" });

  test("has sign-ins and visits apart, and a table for who reads", async () => {
    renderPage("/visit-history");
    expect(await within(await chart()).findByText("3 en total")).toBeVisible();
    expect(within(await chart()).getByText("1.240 en total")).toBeVisible();
    const table = within(await chart()).getByRole("table", { hidden: true });
    const cells = within(table)
      .getAllByRole("row", { hidden: true })
      .map((row) => row.textContent);
    expect(cells).toEqual([
      "DíaInicios de sesiónVisitas",
      "miércoles, 18 de noviembre de 202601.200",
      "jueves, 19 de noviembre de 202600",
      "viernes, 20 de noviembre de 2026340",
    ]);
  });

  test("of one kind has one picture", async () => {
    renderPage("/visit-history?kind=SIGN_IN");
    expect(await within(await chart()).findByText("3 en total")).toBeVisible();
    expect(within(await chart()).getAllByRole("figure")).toHaveLength(1);
  });

  test("of too many days says so; the list is there all the same", async () => {
    server.use(
      http.get("/api/visits/per-day", () =>
        problem(422, {
          code: "VALIDATION_FAILED",
          message: "x",
          errors: [{ field: "to", code: "TOO_LARGE", message: "x", arguments: {} }],
        }),
      ),
    );
    renderPage("/visit-history?from=2020-01-01");
    expect(await screen.findByText("Demasiados días para el gráfico")).toBeVisible();
    expect(screen.getByText(/La lista y el archivo que se exporta los tienen todos/)).toBeVisible();
    expect(await rows()).toHaveLength(2);
  });

  test("that fails can be tried again", async () => {
    server.use(http.get("/api/visits/per-day", () => problem(400, { message: "Ahora no." }), { once: true }));
    const { user } = renderPage("/visit-history");
    expect(await screen.findByText(/Ahora no/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Reintentar" }));
    expect(await within(await chart()).findByText("3 en total")).toBeVisible();
  });

  test("of days without visits says so", async () => {
    server.use(
      http.get("/api/visits/per-day", () =>
        HttpResponse.json([{ day: "2026-11-20", signIns: 0, visits: 0 }]),
      ),
    );
    renderPage("/visit-history");
    expect(await within(await chart()).findAllByText("Nada en estos días")).toHaveLength(2);
  });
});
