// Viewers' reports: what the list says, every action, groups, and the report that is open.
import { screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { reports, sampleAssignees, sampleReport, setReports } from "../../testing/issues";
import { expectLeavingConfirms } from "../../testing/leaving";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const listRequests = () =>
  backend.requests.filter((one) => /^GET \/api\/issue-reports(\/groups)?\?/.test(one));
const table = () => screen.getByRole("table", { name: "Errores de reproducción" });
const rows = async () => {
  await screen.findByText(/^Mostrando/);
  return within(table())
    .getAllByRole("row")
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole("cell")
        // Not the one that has the box which selects the row.
        .filter((cell) => within(cell).queryByRole("checkbox") === null),
    );
};
const texts = async () => (await rows()).map((cells) => cells.map((cell) => cell.textContent));

function be(roleCode: string, permissions = ["ISSUES_READ", "ISSUES_UPDATE"]) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

beforeEach(() => {
  be("admin");
  setReports(
    sampleReport(31),
    sampleReport(30, { status: "EN_PROGRESO", title: "No carga", description: null, assignedTo: "bea_2" }),
    sampleReport(29, {
      status: "RESUELTO",
      title: "Se corta",
      contentType: "TV",
      content: "Canal 9",
      groupId: 2,
    }),
    sampleReport(28, { status: "CERRADO", groupId: 3 }),
    sampleReport(27, { status: "RECHAZADO", groupId: null, content: null, contentId: null }),
  );
});

test("a row says what is wrong with what, when, how and where it stands", async () => {
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
    "/issues?tab=all&page=2&size=25&sort=-priority&search=x&contentType=TV&reportType=AUDIO&assignedTo=bea_2",
  );
  await waitFor(() =>
    expect(listRequests()[0]).toBe(
      "GET /api/issue-reports?_page=1&_size=25&_sort=-priority&search=x&contentType=TV&reportType=AUDIO&assignedTo=bea_2",
    ),
  );
});

test("what nobody sees to is a filter too", async () => {
  renderPage("/issues?assignedTo=-");
  await waitFor(() => expect(listRequests()[0]).toMatch(/&unassigned=true$/));
});

test.each([
  ["of somebody whose name comes later", "bea_2", 200],
  ["where the names do not come", "bea_2", 503],
  ["of somebody who is no assignee any more", "carla_3", 200],
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

test("nobody is offered what would be refused", async () => {
  be("contentManager");
  const { user } = renderPage("/issues?tab=all");
  const offered = async (name: string) => {
    const row = (await screen.findAllByRole("row")).find((one) => within(one).queryByText(name));
    return within(row as HTMLElement)
      .getAllByRole("button")
      .map((button) => button.getAttribute("aria-label"));
  };
  await rows();
  // Resolved and closed ones are not resolved again.
  expect(await offered("29")).not.toContain("Marcar como resuelto: «Se corta»");
  expect(await offered("28")).not.toContain("Marcar como resuelto: «Sin audio»");
  expect(await offered("27")).toContain("Marcar como resuelto: «Sin audio»");
  await user.click(screen.getAllByRole("button", { name: "Más acciones para «No carga»" })[0] as HTMLElement);
  const menu = await screen.findByRole("menu");
  expect(
    within(menu)
      .getAllByRole("menuitem")
      .map((one) => one.textContent),
  ).toEqual(["Rechazar", "Cerrar reporte", "Volver a reportado", "Asignar", "Cambiar prioridad", "Notas"]);
});

test("whoever may only look is offered nothing but that", async () => {
  be("contentManager", ["ISSUES_READ"]);
  renderPage("/issues");
  await rows();
  expect(
    within(table())
      .getAllByRole("button", { name: /«/ })
      .map((one) => one.getAttribute("aria-label")),
  ).toEqual(["Ver «Sin audio»", "Ver «No carga»"]);
});

describe("one report", () => {
  const choose = async (page: ReturnType<typeof renderPage>, action: string) => {
    await rows();
    const direct = screen.queryByRole("button", { name: `${action}: «Sin audio»` });
    if (direct) return page.user.click(direct);
    await page.user.click(screen.getByRole("button", { name: "Más acciones para «Sin audio»" }));
    await page.user.click(await screen.findByRole("menuitem", { name: `${action}: «Sin audio»` }));
  };
  const sent = () => reports.sent.map(({ request, version, body }) => [request, version, body]);
  const path = "/api/issue-reports/31";

  test("is resolved after a question, with notes, from the version that was seen", async () => {
    const page = renderPage("/issues");
    await choose(page, "Marcar como resuelto");
    const dialog = await screen.findByRole("dialog", { name: "¿Marcar como resuelto?" });
    expect(
      within(dialog).getByText("«Sin audio» pasará a resuelto y saldrá de los reportados."),
    ).toBeVisible();
    expect(within(dialog).getByRole("button", { name: "Cancelar" })).toHaveFocus();
    await page.user.type(within(dialog).getByLabelText("Notas (opcional)"), " Enlace nuevo ");
    await page.user.dblClick(within(dialog).getByRole("button", { name: "Marcar como resuelto" }));
    expect(await screen.findByText("Se cambió 1 reporte")).toBeVisible();
    expect(sent()).toEqual([[`PATCH ${path}`, '"1"', { status: "RESUELTO", notes: "Enlace nuevo" }]]);
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });

  test.each([
    ["Rechazar", "¿Rechazar?", { status: "RECHAZADO", notes: null }],
    ["Cerrar", "¿Cerrar?", { status: "CERRADO", notes: null }, "Cerrar reporte"],
  ] as const)("to %s requests first", async (action, title, body, verb: string = action) => {
    const page = renderPage("/issues");
    await choose(page, action);
    const dialog = await screen.findByRole("dialog", { name: title });
    await page.user.click(within(dialog).getByRole("button", { name: verb }));
    await screen.findByText("Se cambió 1 reporte");
    expect(sent()).toEqual([[`PATCH ${path}`, '"1"', body]]);
  });

  test("is taken on at once", async () => {
    const page = renderPage("/issues");
    await choose(page, "Poner en progreso");
    await screen.findByText("Se cambió 1 reporte");
    expect(sent()).toEqual([[`PATCH ${path}`, '"1"', { status: "EN_PROGRESO" }]]);
  });

  test("is assigned to somebody who may see it", async () => {
    const page = renderPage("/issues");
    await choose(page, "Asignar");
    const dialog = await screen.findByRole("dialog", { name: "Asignar" });
    const field = within(dialog).getByLabelText("Asignado a");
    await within(dialog).findByRole("option", { name: "Bea Paz (bea_2)" });
    expect(
      within(field)
        .getAllByRole("option")
        .map((one) => one.textContent),
    ).toEqual(["Sin asignar", "Ana Núñez (ana)", "Bea Paz (bea_2)"]);
    await page.user.selectOptions(field, "bea_2");
    await page.user.click(within(dialog).getByRole("button", { name: "Asignar" }));
    await screen.findByText("Se cambió 1 reporte");
    expect(sent()).toEqual([[`PATCH ${path}`, '"1"', { assignedTo: "bea_2" }]]);
  });

  test("gets another priority", async () => {
    const page = renderPage("/issues");
    await choose(page, "Cambiar la prioridad");
    const dialog = await screen.findByRole("dialog", { name: "Cambiar prioridad" });
    await page.user.selectOptions(within(dialog).getByLabelText("Prioridad"), "Crítica");
    await page.user.click(within(dialog).getByRole("button", { name: "Cambiar prioridad" }));
    await screen.findByText("Se cambió 1 reporte");
    expect(sent()).toEqual([[`PATCH ${path}`, '"1"', { priority: "CRITICAL" }]]);
  });

  test("takes notes of 2,000 characters and no longer", async () => {
    const page = renderPage("/issues");
    await choose(page, "Escribir notas");
    const dialog = await screen.findByRole("dialog", { name: "Notas" });
    await page.user.click(within(dialog).getByLabelText("Notas"));
    await page.user.paste("x".repeat(2001));
    expect(within(dialog).getByText("2.001 de 2.000 caracteres")).toBeVisible();
    expect(within(dialog).getByRole("button", { name: "Guardar notas" })).toBeDisabled();
    await page.user.keyboard("{Backspace}");
    await page.user.click(within(dialog).getByRole("button", { name: "Guardar notas" }));
    await screen.findByText("Se cambió 1 reporte");
    expect(sent()).toEqual([[`PATCH ${path}`, '"1"', { notes: "x".repeat(2000) }]]);
  });

  test("closes its dialog once the change is answered, however long the list takes", async () => {
    const page = renderPage("/issues");
    await choose(page, "Escribir notas");
    const dialog = await screen.findByRole("dialog", { name: "Notas" });
    await page.user.type(within(dialog).getByLabelText("Notas"), "Llamar");
    server.use(http.get("/api/issue-reports", () => delay("infinite")));
    await page.user.click(within(dialog).getByRole("button", { name: "Guardar notas" }));
    await waitFor(() => expect(dialog).not.toBeInTheDocument());
  });

  test("asks before notes are lost", async () => {
    const page = renderPage("/issues");
    await choose(page, "Escribir notas");
    const dialog = await screen.findByRole("dialog", { name: "Notas" });
    await page.user.type(within(dialog).getByLabelText("Notas"), "Llamar");
    await page.user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await page.user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    await expectLeavingConfirms(page);
    expect(within(dialog).getByLabelText("Notas")).toHaveValue("Llamar");
  });

  test("is changed over what somebody else left, once that was read", async () => {
    const page = renderPage("/issues");
    await choose(page, "Escribir notas");
    const dialog = await screen.findByRole("dialog", { name: "Notas" });
    await page.user.type(within(dialog).getByLabelText("Notas"), "Las mías");
    setReports(sampleReport(31, { version: 4, notes: "Las de Bea" }));
    const save = within(dialog).getByRole("button", { name: "Guardar notas" });
    await page.user.click(save);
    expect(await within(dialog).findByText(/Otra persona dejó estas notas: «Las de Bea»/)).toBeVisible();
    expect(within(dialog).getByLabelText("Notas")).toHaveValue("Las mías");
    await page.user.click(save);
    await screen.findByText("Se cambió 1 reporte");
    expect(sent().map(([, version, change]) => [version, change])).toEqual([
      ['"1"', { notes: "Las mías" }],
      ['"4"', { notes: "Las mías" }],
    ]);
  });

  test("keeps the notes that somebody else left where only its state changes", async () => {
    const page = renderPage("/issues");
    await choose(page, "Marcar como resuelto");
    const dialog = await screen.findByRole("dialog", { name: "¿Marcar como resuelto?" });
    setReports(sampleReport(31, { version: 4, notes: "Las de Bea" }));
    const resolve = within(dialog).getByRole("button", { name: "Marcar como resuelto" });
    await page.user.click(resolve);
    await waitFor(() => expect(within(dialog).getByLabelText("Notas (opcional)")).toHaveValue("Las de Bea"));
    await page.user.click(resolve);
    await screen.findByText("Se cambió 1 reporte");
    expect(sent().at(-1)).toEqual([`PATCH ${path}`, '"4"', { status: "RESUELTO", notes: "Las de Bea" }]);
  });

  /** The dialog after a conflict with notes that somebody else wrote, which it shows. */
  const withTheirNotes = async () => {
    const page = renderPage("/issues");
    await choose(page, "Marcar como resuelto");
    const dialog = await screen.findByRole("dialog", { name: "¿Marcar como resuelto?" });
    const notes = within(dialog).getByLabelText("Notas (opcional)");
    const resolve = within(dialog).getByRole("button", { name: "Marcar como resuelto" });
    setReports(sampleReport(31, { version: 4, notes: "Las de Bea" }));
    await page.user.click(resolve);
    await waitFor(() => expect(notes).toHaveValue("Las de Bea"));
    return { page, dialog, notes, resolve };
  };

  test.each([
    ["replaced", "Las de Leo"],
    ["removed", null],
  ])("keeps the notes that somebody else %s after a first conflict", async (_case, latest) => {
    const { page, notes, resolve } = await withTheirNotes();
    setReports(sampleReport(31, { version: 5, notes: latest }));
    await page.user.click(resolve);
    await waitFor(() => expect(notes).toHaveValue(latest ?? ""));
    await page.user.click(resolve);
    await screen.findByText("Se cambió 1 reporte");
    expect(sent().at(-1)).toEqual([`PATCH ${path}`, '"5"', { status: "RESUELTO", notes: latest }]);
  });

  test("has nothing to lose while its notes are those that somebody else left", async () => {
    const { page, dialog } = await withTheirNotes();
    await page.user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("shows that somebody else removed notes which were changed here after a first conflict", async () => {
    const { page, dialog, notes, resolve } = await withTheirNotes();
    await page.user.type(notes, ", y las mías");
    setReports(sampleReport(31, { version: 5 }));
    await page.user.click(resolve);
    expect(await within(dialog).findByText(/Otra persona dejó estas notas: «—»/)).toBeVisible();
    expect(notes).toHaveValue("Las de Bea, y las mías");
  });

  test("keeps what is typed while a change is on its way that meets a conflict", async () => {
    const page = renderPage("/issues");
    await choose(page, "Marcar como resuelto");
    const dialog = await screen.findByRole("dialog", { name: "¿Marcar como resuelto?" });
    const notes = within(dialog).getByLabelText("Notas (opcional)");
    setReports(sampleReport(31, { version: 4, notes: "Las de Bea" }));
    server.use(
      http.patch("/api/issue-reports/:id", async () => {
        await delay(200);
      }),
    );
    await page.user.click(within(dialog).getByRole("button", { name: "Marcar como resuelto" }));
    await page.user.type(notes, "Las mías");
    expect(await within(dialog).findByText(/Otra persona dejó estas notas: «Las de Bea»/)).toBeVisible();
    expect(notes).toHaveValue("Las mías");
  });

  test("is deleted after a question that names it", async () => {
    const page = renderPage("/issues");
    await choose(page, "Eliminar");
    const dialog = await screen.findByRole("dialog", { name: "Eliminar reporte" });
    expect(
      within(dialog).getByText("Se eliminará el reporte 31, «Sin audio». No se puede deshacer."),
    ).toBeVisible();
    await page.user.click(within(dialog).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText("Se eliminó el reporte 31")).toBeVisible();
    expect(sent()).toEqual([[`DELETE ${path}`, '"1"', {}]]);
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });

  test("that is deleted is not selected any more", async () => {
    const page = renderPage("/issues");
    await rows();
    for (const title of ["Sin audio", "No carga"])
      await page.user.click(screen.getByRole("checkbox", { name: `Seleccionar «${title}»` }));
    const bar = await screen.findByRole("region", { name: "Selección" });
    expect(within(bar).getByText("2 seleccionados")).toBeVisible();
    await choose(page, "Eliminar");
    const dialog = await screen.findByRole("dialog", { name: "Eliminar reporte" });
    await page.user.click(within(dialog).getByRole("button", { name: "Eliminar" }));
    expect(await within(bar).findByText("1 seleccionado")).toBeVisible();
  });

  test("that somebody else changed is shown inside, and what was typed stays", async () => {
    const page = renderPage("/issues");
    await choose(page, "Marcar como resuelto");
    const dialog = await screen.findByRole("dialog", { name: "¿Marcar como resuelto?" });
    (reports.all[0] as { version: number }).version = 9;
    await page.user.type(within(dialog).getByLabelText("Notas (opcional)"), "Hecho");
    await page.user.click(within(dialog).getByRole("button", { name: "Marcar como resuelto" }));
    expect(await within(dialog).findByText("Otra persona lo cambió.")).toBeVisible();
    expect(within(dialog).getByLabelText("Notas (opcional)")).toHaveValue("Hecho");
  });

  test("that can't be taken on says why", async () => {
    server.use(
      http.patch("/api/issue-reports/31", () =>
        problem(409, {
          code: "INVALID_TRANSITION",
          message: "Un reporte «Cerrado» no puede pasar a «En progreso».",
        }),
      ),
    );
    const page = renderPage("/issues");
    await choose(page, "Poner en progreso");
    expect(await screen.findByText("Un reporte «Cerrado» no puede pasar a «En progreso».")).toBeVisible();
    expect(screen.getByText("No se pudo cambiar")).toBeVisible();
  });
});

describe("grouped by content", () => {
  test("a row says how much of what, and the switch is in the address", async () => {
    const { user, address } = renderPage("/issues?sort=-priority");
    await rows();
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
    expect(reports.sent).toEqual([{ request: "PATCH /api/issue-reports/groups/1", version: null, body }]);
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
    // What nobody typed takes nobody's notes away.
    expect(reports.sent).toEqual([
      { request: "PATCH /api/issue-reports/groups/1", version: null, body: { status: "RESUELTO" } },
    ]);
    expect(await screen.findByText("No hay datos disponibles.")).toBeVisible();
  });

  test("the notes of all are replaced by what is typed, and by nothing else", async () => {
    const { user } = renderPage("/issues?grouped=1");
    await user.click(await screen.findByRole("button", { name: "Más acciones para «Dune»" }));
    await user.click(await screen.findByRole("menuitem", { name: "Escribir notas: «Dune»" }));
    const dialog = within(await screen.findByRole("dialog"));
    const save = dialog.getByRole("button", { name: "Guardar notas" });
    expect(save).toBeDisabled();
    await user.type(dialog.getByRole("textbox"), "Avisado");
    await user.click(save);
    await waitFor(() => expect(reports.sent.map(({ body }) => body)).toEqual([{ notes: "Avisado" }]));
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

  test("its content is a click away", async () => {
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

  test("is assigned and given a priority where they stand, one change after the other", async () => {
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

  test("leads to all reports on its content, whatever the list was narrowed to", async () => {
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

  test("about content that is gone says so", async () => {
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
  expect(await rows()).toHaveLength(2);
});

test("whoever may not see reports is led home", async () => {
  be("agent", ["USER_READ"]);
  const { address } = renderPage("/issues");
  await screen.findByRole("heading", { name: "Panel de Agente" });
  expect(address()).toBe("/");
});
