// Notes on a report that a crash of the browser interrupts, and two users who change one report.
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { formatMoment } from "../../i18n/formats";
import { backend } from "../../testing/backend";
import { reportRows, reports, sampleReport, setReports } from "../../testing/issues";
import { losePage } from "../../testing/leaving";
import { renderPage } from "../../testing/render";
import type { HistoryEntry } from "./queries";

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "admin",
    roleName: "Mi rol",
    permissions: ["ISSUES_READ", "ISSUES_UPDATE", "ISSUES_DELETE"],
  };
  setReports(sampleReport(31));
});

const theirDate = "2026-11-20T16:00:00Z";

const entry = (id: number, by: string, change: Partial<HistoryEntry>): HistoryEntry => ({
  id,
  date: theirDate,
  action: "CHANGED",
  by,
  byKind: "STAFF",
  statusFrom: null,
  statusTo: null,
  priorityFrom: null,
  priorityTo: null,
  assignedFrom: null,
  assignedTo: null,
  note: null,
  ...change,
});

type User = ReturnType<typeof renderPage>["user"];

async function choose(user: User, action: string) {
  const direct = screen.queryByRole("button", { name: `${action}: «Sin audio»` });
  if (direct) return user.click(direct);
  await user.click(screen.getByRole("button", { name: "Más acciones para «Sin audio»" }));
  await user.click(await screen.findByRole("menuitem", { name: `${action}: «Sin audio»` }));
}

async function openNotes() {
  const { user } = renderPage("/issues");
  await reportRows();
  await choose(user, "Escribir notas");
  const dialog = within(await screen.findByRole("dialog", { name: "Notas" }));
  return { user, dialog, notes: dialog.getByLabelText("Notas") };
}

const stored = () => localDraft("ana", "report 31 notes")?.values.notes;

test("notes survive a crash, are proposed once, and are gone once they are saved", async () => {
  const first = await openNotes();
  await first.user.type(first.notes, "Llamar al proveedor");
  await waitFor(() => expect(stored()).toBe("Llamar al proveedor"));
  losePage();

  const { user, dialog, notes } = await openNotes();
  expect(notes).toHaveValue("");
  await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
  expect(notes).toHaveValue("Llamar al proveedor");
  await user.click(dialog.getByRole("button", { name: "Guardar notas" }));
  await screen.findByText("Se cambió 1 reporte");
  expect(reports.sent.at(-1)?.body).toEqual({ notes: "Llamar al proveedor" });
  expect(stored()).toBeUndefined();
});

test("notes that come back after others wrote theirs replace nothing unseen", async () => {
  const first = await openNotes();
  await first.user.type(first.notes, "Las mías");
  await waitFor(() => expect(stored()).toBe("Las mías"));
  losePage();

  setReports(sampleReport(31, { version: 4, notes: "Las de Bea" }));
  reports.history = [entry(1, "bea_2", { note: "Las de Bea" })];
  const { user, dialog, notes } = await openNotes();
  expect(notes).toHaveValue("Las de Bea");
  await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
  const save = dialog.getByRole("button", { name: "Guardar notas" });
  await user.click(save);
  const date = formatMoment(theirDate);
  expect(
    await dialog.findByText(
      `bea_2 dejó estas notas (${date}): «Las de Bea». Si guardas otra vez, las tuyas las sustituyen.`,
    ),
  ).toBeVisible();
  await user.click(save);
  await screen.findByText("Se cambió 1 reporte");
  expect(reports.sent.map(({ version }) => version)).toEqual(['"1"', '"4"']);
});

test("notes that come back name every user who changed the report since they were written", async () => {
  const first = await openNotes();
  await first.user.type(first.notes, "Las mías");
  await waitFor(() => expect(stored()).toBe("Las mías"));
  losePage();

  setReports(sampleReport(31, { version: 5, priority: "HIGH", assignedTo: "eva", updatedDate: theirDate }));
  reports.history = [
    entry(1, "bea_2", { priorityFrom: "MEDIUM", priorityTo: "HIGH" }),
    entry(2, "leo_3", { assignedTo: "eva" }),
  ];
  const { user, dialog } = await openNotes();
  await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
  await user.click(dialog.getByRole("button", { name: "Guardar notas" }));
  expect(await dialog.findByText(/^Mientras tanto se cambió el reporte: bea_2 .* y leo_3 /)).toBeVisible();
});

test("a conflict shows who changed the report or its notes first, and when", async () => {
  const { user, dialog, notes } = await openNotes();
  await user.type(notes, "Las mías");
  setReports(sampleReport(31, { version: 5, notes: "Las de Bea", priority: "HIGH" }));
  reports.history = [
    entry(1, "bea_2", { note: "Las de Bea" }),
    entry(2, "leo_3", { priorityFrom: "MEDIUM", priorityTo: "HIGH" }),
  ];
  await user.click(dialog.getByRole("button", { name: "Guardar notas" }));
  const date = formatMoment(theirDate);
  expect(
    await dialog.findByText(
      `Mientras tanto se cambió el reporte: bea_2 (Notas; ${date}) y leo_3 (Prioridad; ${date}). Revísalo y vuelve a intentarlo.`,
    ),
  ).toBeVisible();
  expect(dialog.getByText(/^bea_2 dejó estas notas/)).toBeVisible();
});

test("a conflict with oneself is one with another tab: of the report, and of its notes", async () => {
  const { user, dialog, notes } = await openNotes();
  await user.type(notes, "Las de aquí");
  setReports(sampleReport(31, { version: 5, notes: "Las de allí" }));
  reports.history = [entry(1, "ana", { note: "Las de allí" })];
  await user.click(dialog.getByRole("button", { name: "Guardar notas" }));
  const date = formatMoment(theirDate);
  expect(
    await dialog.findByText(
      `Cambiaste el reporte en otra pestaña (${date}). Revísalo y vuelve a intentarlo.`,
    ),
  ).toBeVisible();
  expect(
    dialog.getByText(
      `Dejaste estas notas en otra pestaña (${date}): «Las de allí». Si guardas otra vez, las de aquí las sustituyen.`,
    ),
  ).toBeVisible();
});

test("a conflict with another user is none with oneself only, where the last change is one's own", async () => {
  const { user, dialog, notes } = await openNotes();
  await user.type(notes, "Las de aquí");
  setReports(sampleReport(31, { version: 6 }));
  reports.history = [
    // Before the report was opened.
    entry(1, "leo_3", { date: "2026-11-20T15:05:00Z", priorityFrom: "LOW", priorityTo: "MEDIUM" }),
    entry(2, "bea_2", { statusFrom: "REPORTADO", statusTo: "EN_PROGRESO" }),
    entry(3, "ana", { assignedFrom: null, assignedTo: "eva" }),
  ];
  await user.click(dialog.getByRole("button", { name: "Guardar notas" }));
  const date = formatMoment(theirDate);
  expect(
    await dialog.findByText(
      `Mientras tanto se cambió el reporte: bea_2 (Estado; ${date}) y tú en otra pestaña (Asignado a; ${date}). Revísalo y vuelve a intentarlo.`,
    ),
  ).toBeVisible();
});

test("a key that is called like the user is not the user", async () => {
  const { user } = renderPage("/issues");
  await reportRows();
  setReports(sampleReport(31, { version: 5 }));
  reports.history = [entry(2, "ana", { byKind: "KEY", priorityFrom: "MEDIUM", priorityTo: "HIGH" })];
  await choose(user, "Poner en progreso");
  expect(await screen.findByText(/ cambió el reporte antes que tú/)).toBeVisible();
});

test("so does a conflict over a change without a dialog", async () => {
  const { user } = renderPage("/issues");
  await reportRows();
  setReports(sampleReport(31, { version: 5 }));
  reports.history = [entry(2, "leo_3", { priorityFrom: "MEDIUM", priorityTo: "HIGH" })];
  await choose(user, "Poner en progreso");
  expect(await screen.findByText(/^leo_3 cambió el reporte antes que tú/)).toBeVisible();
});

test("a dialog about nothing that failed shows no failure", async () => {
  const { dialog } = await openNotes();
  expect(dialog.queryByText("No se pudo cambiar")).not.toBeInTheDocument();
  expect(dialog.queryByRole("alert")).not.toBeInTheDocument();
});
