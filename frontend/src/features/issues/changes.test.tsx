// The actions on one viewer's report: confirmations, notes, and changes by other users.
import { screen, waitFor, within } from "@testing-library/react";
import { delay, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { reportRows, reports, sampleReport, setReports, setSampleReports } from "../../testing/issues";
import { expectLeavingConfirms } from "../../testing/leaving";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

function be(roleCode: string, permissions = ["ISSUES_READ", "ISSUES_UPDATE"]) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

beforeEach(() => {
  be("admin");
  setSampleReports();
});

describe("one report", () => {
  const choose = async (page: ReturnType<typeof renderPage>, action: string) => {
    await reportRows();
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
    await waitFor(async () => expect(await reportRows()).toHaveLength(1));
  });

  test.each([
    ["Rechazar", "¿Rechazar?", { status: "RECHAZADO", notes: null }],
    ["Cerrar", "¿Cerrar?", { status: "CERRADO", notes: null }, "Cerrar reporte"],
  ] as const)("to %s needs a confirmation", async (action, title, body, verb: string = action) => {
    const page = renderPage("/issues");
    await choose(page, action);
    const dialog = await screen.findByRole("dialog", { name: title });
    await page.user.click(within(dialog).getByRole("button", { name: verb }));
    await screen.findByText("Se cambió 1 reporte");
    expect(sent()).toEqual([[`PATCH ${path}`, '"1"', body]]);
  });

  test("is started without a dialog", async () => {
    const page = renderPage("/issues");
    await choose(page, "Poner en progreso");
    await screen.findByText("Se cambió 1 reporte");
    expect(sent()).toEqual([[`PATCH ${path}`, '"1"', { status: "EN_PROGRESO" }]]);
  });

  test("is assigned to a user with the permission to see it", async () => {
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

  test("needs a confirmation before notes are discarded", async () => {
    const page = renderPage("/issues");
    await choose(page, "Escribir notas");
    const dialog = await screen.findByRole("dialog", { name: "Notas" });
    await page.user.type(within(dialog).getByLabelText("Notas"), "Llamar");
    await page.user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await page.user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    await expectLeavingConfirms(page);
    expect(within(dialog).getByLabelText("Notas")).toHaveValue("Llamar");
  });

  test("is changed over the other user's version, once that was read", async () => {
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

  test("keeps the other user's notes where only its state changes", async () => {
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

  /** The dialog after a conflict with another user's notes, which it shows. */
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
  ])("keeps the notes that another user %s after a first conflict", async (_case, latest) => {
    const { page, notes, resolve } = await withTheirNotes();
    setReports(sampleReport(31, { version: 5, notes: latest }));
    await page.user.click(resolve);
    await waitFor(() => expect(notes).toHaveValue(latest ?? ""));
    await page.user.click(resolve);
    await screen.findByText("Se cambió 1 reporte");
    expect(sent().at(-1)).toEqual([`PATCH ${path}`, '"5"', { status: "RESUELTO", notes: latest }]);
  });

  test("has no unsaved changes while its notes are the other user's", async () => {
    const { page, dialog } = await withTheirNotes();
    await page.user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("shows that another user removed the notes which were edited here after a first conflict", async () => {
    const { page, dialog, notes, resolve } = await withTheirNotes();
    await page.user.type(notes, ", y las mías");
    setReports(sampleReport(31, { version: 5 }));
    await page.user.click(resolve);
    expect(await within(dialog).findByText(/Otra persona dejó estas notas: «—»/)).toBeVisible();
    expect(notes).toHaveValue("Las de Bea, y las mías");
  });

  test("keeps text typed during a request that ends in a conflict", async () => {
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
    await waitFor(async () => expect(await reportRows()).toHaveLength(1));
  });

  test("that is deleted is not selected any more", async () => {
    const page = renderPage("/issues");
    await reportRows();
    for (const title of ["Sin audio", "No carga"])
      await page.user.click(screen.getByRole("checkbox", { name: `Seleccionar «${title}»` }));
    const bar = await screen.findByRole("region", { name: "Selección" });
    expect(within(bar).getByText("2 seleccionados")).toBeVisible();
    await choose(page, "Eliminar");
    const dialog = await screen.findByRole("dialog", { name: "Eliminar reporte" });
    await page.user.click(within(dialog).getByRole("button", { name: "Eliminar" }));
    expect(await within(bar).findByText("1 seleccionado")).toBeVisible();
  });

  test("that another user changed is shown in the dialog, and the typed text stays", async () => {
    const page = renderPage("/issues");
    await choose(page, "Marcar como resuelto");
    const dialog = await screen.findByRole("dialog", { name: "¿Marcar como resuelto?" });
    (reports.all[0] as { version: number }).version = 9;
    await page.user.type(within(dialog).getByLabelText("Notas (opcional)"), "Hecho");
    await page.user.click(within(dialog).getByRole("button", { name: "Marcar como resuelto" }));
    expect(await within(dialog).findByText("Otra persona lo cambió.")).toBeVisible();
    expect(within(dialog).getByLabelText("Notas (opcional)")).toHaveValue("Hecho");
  });

  test("that can't be started shows the reason", async () => {
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

test.each([
  ["admin", true],
  ["contentManager", false],
])("several reports are deleted by those who may delete one (%s: %s)", async (role, mayDelete) => {
  be(role);
  const { user } = renderPage("/issues");
  await reportRows();
  await user.click(screen.getByRole("checkbox", { name: "Seleccionar «Sin audio»" }));
  await screen.findByRole("button", { name: "Cambiar…" });
  expect(screen.queryAllByRole("button", { name: "Eliminar…" })).toHaveLength(mayDelete ? 1 : 0);
  if (!mayDelete) return;
  await user.click(screen.getByRole("button", { name: "Eliminar…" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText("No se pueden restaurar; su historial se conserva.")).toBeVisible();
  expect(reports.sent.at(-1)?.body).toMatchObject({ action: { type: "DELETE" }, dryRun: true });
});
