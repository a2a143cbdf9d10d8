// Viewers' reports: the list, every action, groups, and the report that is open.
import { screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import {
  reportRows,
  reports,
  reportTable,
  sampleAssignees,
  sampleReport,
  setReports,
  setSampleReports,
} from "../../testing/issues";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const listRequests = () =>
  backend.requests.filter((one) => /^GET \/api\/issue-reports(\/groups)?\?/.test(one));
const texts = async () => (await reportRows()).map((cells) => cells.map((cell) => cell.textContent));

function be(roleCode: string, permissions = ["ISSUES_READ", "ISSUES_UPDATE"]) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

beforeEach(() => {
  be("admin");
  setSampleReports();
});

test("a row shows the problem, the item, the time, the origin and the status", async () => {
  renderPage("/issues");
  expect((await texts()).map((cells) => cells.slice(0, 7))).toEqual(
    [
      [
        "31",
        "Sin audioNo se escucha nada desde ayer.",
        "PelículaDune",
        "20/11/2026 3:05 p. m.",
        "Audio",
        "Reportado",
        "Media",
      ],
      [
        "30",
        "No cargaSin descripción",
        "PelículaDune",
        "20/11/2026 3:05 p. m.",
        "Audio",
        "En progreso",
        "Media",
      ],
    ].map((cells) => cells.map((text) => text.replace("p. m.", "p. m."))),
  );
  expect(listRequests()).toEqual(["GET /api/issue-reports?_page=0&_size=10&status=REPORTADO,EN_PROGRESO"]);
});

test("tabs count just what they list, and keep their place in the address", async () => {
  const { user, address } = renderPage("/issues?search=sin");
  const tabs = await screen.findByRole("navigation", { name: "Reportes" });
  await waitFor(() =>
    expect(
      within(tabs)
        .getAllByRole("link")
        .map((tab) => tab.textContent),
    ).toEqual(["Reportados2", "Reparados2", "Todos5"]),
  );
  await user.click(within(tabs).getByRole("link", { name: /Reparados/ }));
  expect(address()).toBe("/issues?search=sin&tab=repaired");
  await waitFor(async () => expect((await texts()).map((cells) => cells[0])).toEqual(["28"]));
  await user.click(within(tabs).getByRole("link", { name: /Todos/ }));
  await waitFor(() =>
    expect(listRequests().at(-1)).toBe("GET /api/issue-reports?_page=0&_size=10&search=sin"),
  );
  expect(screen.queryByRole("switch")).not.toBeInTheDocument();
});

test("everything of the list is in the address and reaches the server", async () => {
  renderPage(
    "/issues?tab=all&page=2&size=25&sort=-priority&search=x&contentType=TV&reportType=AUDIO&assignedTo=bea_2&reportedDateFrom=2026-11-01&reportedDateTo=2026-11-20",
  );
  await waitFor(() =>
    expect(listRequests()[0]).toBe(
      "GET /api/issue-reports?_page=1&_size=25&_sort=-priority&search=x&contentType=TV&reportType=AUDIO&reportedDateFrom=2026-11-01&reportedDateTo=2026-11-20&assignedTo=bea_2",
    ),
  );
});

test("reports without an assignee can be filtered", async () => {
  renderPage("/issues?assignedTo=-");
  await waitFor(() => expect(listRequests()[0]).toMatch(/&unassigned=true$/));
});

test.each([
  ["of an assignee whose name comes later", "bea_2", 200],
  ["where the names do not come", "bea_2", 503],
  ["of a user who is no longer an assignee", "carla_3", 200],
])("the filter %s stays", async (_case, username, status) => {
  let isAnswered = false;
  server.use(
    http.get("/api/issue-reports/assignees", async () => {
      await delay(100);
      isAnswered = true;
      return status === 200 ? HttpResponse.json(sampleAssignees) : problem(status, {});
    }),
  );
  const { address } = renderPage(`/issues?assignedTo=${username}`);
  const filter = await screen.findByRole("combobox", { name: "Asignado a" });
  await waitFor(() => expect(isAnswered).toBe(true));
  if (username === "bea_2" && status === 200) await within(filter).findByRole("option", { name: "Bea Paz" });
  expect(filter).toHaveValue(username);
  expect(address()).toBe(`/issues?assignedTo=${username}`);
  expect(listRequests().at(-1)).toContain(`&assignedTo=${username}`);
  expect(screen.queryByText(/La dirección pedía algo/)).not.toBeInTheDocument();
});

test("actions that the server would refuse are hidden", async () => {
  be("contentManager");
  const { user } = renderPage("/issues?tab=all");
  const actionsOf = async (name: string) => {
    const row = (await screen.findAllByRole("row")).find((one) => within(one).queryByText(name));
    return within(row as HTMLElement)
      .getAllByRole("button")
      .map((button) => button.getAttribute("aria-label"));
  };
  await reportRows();
  // Resolved and closed ones are not resolved again.
  expect(await actionsOf("29")).not.toContain("Marcar como resuelto: «Se corta»");
  expect(await actionsOf("28")).not.toContain("Marcar como resuelto: «Sin audio»");
  expect(await actionsOf("27")).toContain("Marcar como resuelto: «Sin audio»");
  await user.click(screen.getAllByRole("button", { name: "Más acciones para «No carga»" })[0] as HTMLElement);
  const menu = await screen.findByRole("menu");
  expect(
    within(menu)
      .getAllByRole("menuitem")
      .map((one) => one.textContent),
  ).toEqual(["Rechazar", "Cerrar reporte", "Volver a reportado", "Asignar", "Cambiar prioridad", "Notas"]);
});

test("with only the read permission no action is shown", async () => {
  be("contentManager", ["ISSUES_READ"]);
  renderPage("/issues");
  await reportRows();
  expect(
    within(reportTable())
      .getAllByRole("button", { name: /«/ })
      .map((one) => one.getAttribute("aria-label")),
  ).toEqual(["Ver «Sin audio»", "Ver «No carga»"]);
});

/** The operation on the open reports of a group. */
const operationOf = (set: object) => ({
  request: "POST /api/operations",
  version: null,
  body: {
    resource: "issue-reports",
    filter: { group: 1, status: "REPORTADO,EN_PROGRESO" },
    action: { type: "SET", set },
    dryRun: false,
  },
});

describe("grouped by content", () => {
  test("a row says how much of what, and the switch is in the address", async () => {
    const { user, address } = renderPage("/issues?sort=-priority");
    await reportRows();
    await user.click(screen.getByRole("switch", { name: "Agrupar por contenido" }));
    expect(address()).toBe("/issues?grouped=1");
    await waitFor(async () =>
      expect((await texts()).map((cells) => cells.slice(0, 3))).toEqual([
        ["DunePelícula", "21 en progreso", "Audio"],
      ]),
    );
    expect(screen.getByRole("switch", { name: "Agrupar por contenido" })).toHaveFocus();
    await user.click(screen.getByRole("switch", { name: "Agrupar por contenido" }));
    expect(address()).toBe("/issues");
  });

  test.each([
    ["Asignar", "Asignado a", "Bea Paz (bea_2)", { assignedTo: "bea_2" }],
    ["Cambiar prioridad", "Prioridad", "Crítica", { priority: "CRITICAL" }],
  ])("«%s» of a group changes nothing until something is chosen", async (verb, label, option, body) => {
    const { user } = renderPage("/issues?grouped=1");
    await user.click(await screen.findByRole("button", { name: "Más acciones para «Dune»" }));
    const of = verb === "Asignar" ? verb : "Cambiar la prioridad";
    await user.click(await screen.findByRole("menuitem", { name: `${of}: «Dune»` }));
    const dialog = within(await screen.findByRole("dialog", { name: verb }));
    const field = dialog.getByLabelText(label);
    await within(field).findByRole("option", { name: option });
    expect(field).toHaveDisplayValue("Elige una opción");
    expect(dialog.getByRole("button", { name: verb })).toBeDisabled();
    await user.selectOptions(field, option);
    await user.click(dialog.getByRole("button", { name: verb }));
    await screen.findByText("Se cambiaron 2 reportes");
    expect(reports.sent).toEqual([operationOf(body)]);
  });

  test("all its reports are one job", async () => {
    const { user } = renderPage("/issues?grouped=1");
    await user.click(await screen.findByRole("button", { name: "Marcar como resuelto: «Dune»" }));
    const dialog = await screen.findByRole("dialog", { name: "¿Marcar como resuelto?" });
    expect(
      within(dialog).getByText(
        "Los 2 reportes abiertos de «Dune» pasarán a resueltos y saldrán de los reportados.",
      ),
    ).toBeVisible();
    await user.click(within(dialog).getByRole("button", { name: "Marcar como resuelto" }));
    expect(await screen.findByText("Se cambiaron 2 reportes")).toBeVisible();
    // An unedited field removes no notes.
    expect(reports.sent).toEqual([operationOf({ status: "RESUELTO" })]);
    expect(screen.getByRole("button", { name: "Deshacer" })).toBeVisible();
    expect(await screen.findByText("No hay datos disponibles.")).toBeVisible();
  });

  test("the notes of all are replaced only by edited notes", async () => {
    const { user } = renderPage("/issues?grouped=1");
    await user.click(await screen.findByRole("button", { name: "Más acciones para «Dune»" }));
    await user.click(await screen.findByRole("menuitem", { name: "Escribir notas: «Dune»" }));
    const dialog = within(await screen.findByRole("dialog"));
    const save = dialog.getByRole("button", { name: "Guardar notas" });
    expect(save).toBeDisabled();
    await user.type(dialog.getByRole("textbox"), "Avisado");
    await user.click(save);
    await waitFor(() => expect(reports.sent).toEqual([operationOf({ notes: "Avisado" })]));
  });

  test("a click on the content shows its reports alone, until the chip goes", async () => {
    const { user, address } = renderPage("/issues?grouped=1");
    await user.click(await screen.findByRole("link", { name: "Dune" }));
    expect(address()).toBe("/issues?group=1");
    expect(await screen.findByText("Reportes de «Dune»")).toBeVisible();
    expect(listRequests().at(-1)).toMatch(/&group=1$/);
    await user.click(screen.getByRole("button", { name: "Ver los reportes de todos los contenidos" }));
    expect(address()).toBe("/issues");
  });

  test("leads to its content with one click", async () => {
    const { user, address } = renderPage("/issues?grouped=1");
    await user.click(await screen.findByRole("button", { name: "Más acciones para «Dune»" }));
    await user.click(await screen.findByRole("menuitem", { name: "Abrir «Dune»" }));
    expect(address()).toBe("/content/movies/7/edit");
  });
});

describe("the report that is open", () => {
  const entry = {
    date: "2026-11-20T15:05:00Z",
    action: "CHANGED" as const,
    by: "ana",
    byKind: "STAFF" as const,
    statusFrom: null,
    statusTo: null,
    priorityFrom: null,
    priorityTo: null,
    assignedFrom: null,
    assignedTo: null,
    note: null,
  };

  test("shows what it is about, what was done, and what can be done next", async () => {
    reports.history = [
      { ...entry, id: 1, action: "REPORTED", by: "app de la tele", byKind: "KEY", statusTo: "REPORTADO" },
      {
        ...entry,
        id: 2,
        statusFrom: "REPORTADO",
        statusTo: "EN_PROGRESO",
        assignedTo: "bea_2",
        note: "Se mira",
      },
      { ...entry, id: 3, priorityFrom: "LOW", priorityTo: "HIGH", assignedFrom: "bea_2", note: "" },
    ];
    const { user, address } = renderPage("/issues?tab=all");
    await user.click(await screen.findByRole("link", { name: "Se corta" }));
    expect(address()).toBe("/issues?tab=all&report=29");
    const drawer = await screen.findByRole("dialog", { name: "Reporte 29" });
    expect(await within(drawer).findByRole("heading", { name: "Se corta" })).toBeVisible();
    expect(within(drawer).getByRole("link", { name: "Canal 9" })).toHaveAttribute(
      "href",
      "/content/movies/7/edit",
    );
    const next = within(drawer).getByRole("region", { name: "Qué puedes hacer" });
    expect(
      within(next)
        .getAllByRole("button")
        .map((one) => one.textContent),
    ).toEqual(["Cerrar reporte", "Más acciones", "Eliminar"]);
    await user.click(within(next).getByRole("button", { name: "Más acciones" }));
    expect((await within(next).findAllByRole("menuitem")).map((one) => one.textContent)).toEqual([
      "Volver a reportado",
      "Notas",
    ]);
    await user.keyboard("{Escape}");
    const history = within(drawer).getByRole("region", { name: "Historial" });
    expect(
      within(history)
        .getAllByRole("listitem")
        .map((one) =>
          [...one.querySelectorAll("p:not(:first-child), blockquote")].map((line) => line.textContent),
        ),
    ).toEqual([
      ["Prioridad: de «Baja» a «Alta».", "bea_2 ya no lo tiene asignado.", "Se quitaron las notas."],
      ["De «Reportado» a «En progreso».", "Asignado a bea_2.", "Se mira"],
      ["Se recibió el reporte."],
    ]);
    expect(within(history).getByText("app de la tele (programa)")).toBeVisible();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(address()).toBe("/issues?tab=all"));
  });

  test("is assigned and prioritised in the row, one change after the other", async () => {
    const { user } = renderPage("/issues?report=31");
    const drawer = within(await screen.findByRole("dialog", { name: "Reporte 31" }));
    const assignee = await drawer.findByRole("combobox", { name: "Asignado a" });
    await waitFor(() => expect(within(assignee).getAllByRole("option").length).toBeGreaterThan(1));
    const [, someone] = within(assignee).getAllByRole<HTMLOptionElement>("option");
    backend.bodies = [];
    await user.selectOptions(assignee, someone?.value ?? "");
    await user.selectOptions(drawer.getByRole("combobox", { name: "Prioridad" }), "Crítica");
    await waitFor(() =>
      expect(backend.bodies).toEqual([{ assignedTo: someone?.value }, { priority: "CRITICAL" }]),
    );
    await waitFor(() => expect(drawer.getByRole("combobox", { name: "Prioridad" })).toHaveValue("CRITICAL"));
    expect(assignee).toHaveValue(someone?.value);
  });

  test("a change that is refused goes back, with the reason", async () => {
    server.use(http.patch("/api/issue-reports/:id", () => problem(409, { message: "Hoy no." })));
    const { user } = renderPage("/issues?report=31");
    const drawer = within(await screen.findByRole("dialog", { name: "Reporte 31" }));
    const priority = await drawer.findByRole<HTMLSelectElement>("combobox", { name: "Prioridad" });
    const before = priority.value;
    await user.selectOptions(priority, "Crítica");
    expect(await screen.findByText("Hoy no.")).toBeVisible();
    await waitFor(() => expect(priority).toHaveValue(before));
  });

  test("links to all reports on its content, regardless of the list's filters", async () => {
    const { user, address } = renderPage(
      "/issues?priority=MEDIUM&assignedTo=-&search=sin&sort=-id&report=31",
    );
    const drawer = within(await screen.findByRole("dialog", { name: "Reporte 31" }));
    await user.click(await drawer.findByRole("link", { name: "Ver todos los reportes de este contenido" }));
    await waitFor(() => expect(address()).toBe("/issues?tab=all&group=1"));
    await waitFor(() =>
      expect(listRequests().at(-1)).toBe("GET /api/issue-reports?_page=0&_size=10&group=1"),
    );
  });

  test("about deleted content shows that", async () => {
    setReports(sampleReport(5, { contentId: 8 }));
    renderPage("/issues?report=5");
    expect(await screen.findByText("Ya no está en el catálogo")).toBeVisible();
  });

  test("that is not there says so, without another try", async () => {
    renderPage("/issues?report=99");
    expect(await screen.findByText("El reporte no fue encontrado")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Reintentar" })).not.toBeInTheDocument();
  });

  test("closes when it is deleted from there", async () => {
    const { user, address } = renderPage("/issues?report=31");
    const drawer = await screen.findByRole("dialog", { name: "Reporte 31" });
    await user.click(await within(drawer).findByRole("button", { name: "Eliminar" }));
    const question = await screen.findByRole("dialog", { name: "Eliminar reporte" });
    // The report itself is answered before the lists.
    server.use(
      http.get("/api/issue-reports", async () => {
        await delay(200);
      }),
    );
    await user.click(within(question).getByRole("button", { name: "Eliminar" }));
    await waitFor(() => expect(address()).toBe("/issues"));
    expect(screen.queryByText("El reporte no fue encontrado")).not.toBeInTheDocument();
  });
});

test("a failing list says so and can be tried again", async () => {
  let isAway = true;
  server.use(http.get("/api/issue-reports", () => (isAway ? problem(503, { message: "" }) : undefined)));
  const { user } = renderPage("/issues");
  expect(await screen.findByText("Error al cargar los datos")).toBeVisible();
  isAway = false;
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  expect(await reportRows()).toHaveLength(2);
});

test("without the permission the address redirects to the home page", async () => {
  be("agent", ["USER_READ"]);
  const { address } = renderPage("/issues");
  await screen.findByRole("heading", { name: "Panel de Agente" });
  expect(address()).toBe("/");
});
