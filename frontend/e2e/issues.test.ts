// Viewers' reports, from the complaint to the last click: every action on one report and on all of an item, in both
// languages; the page for axe in light and dark, wide and narrow.
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { dismissToast, heading } from "./screens";
import {
  casesOf,
  categoryId,
  clientOf,
  create,
  dark,
  expectAccessibleIn,
  expectGone,
  expectPath,
  flowLanguages,
  light,
  narrow,
  pagesOfOneBrowser,
} from "./support";
import { register } from "./users";
import { words as shared } from "./words";

const open = pagesOfOneBrowser();

const words = {
  es: {
    title: "Errores de reproducción",
    search: "Buscar por título, contenido o tipo...",
    tabs: { reported: /^Reportados/, repaired: /^Reparados/, all: /^Todos/ },
    group: "Agrupar por contenido",
    more: (name: string) => `Más acciones para «${name}»`,
    begin: "Poner en progreso",
    assign: "Asignar",
    assignedTo: "Asignado a",
    priority: "Cambiar prioridad",
    priorityField: "Prioridad",
    critical: "Crítica",
    notes: "Notas",
    save: "Guardar notas",
    resolve: "Marcar como resuelto",
    resolveTitle: "¿Marcar como resuelto?",
    notesOptional: "Notas (opcional)",
    reject: "Rechazar",
    rejectTitle: "¿Rechazar?",
    close: "Cerrar reporte",
    closeTitle: "¿Cerrar?",
    reopen: "Volver a reportado",
    reopenTitle: "¿Volver a reportado?",
    delete: "Eliminar",
    deleteTitle: "Eliminar reporte",
    deleted: /Se eliminó el reporte/,
    changed: (count: number) => (count === 1 ? "Se cambió 1 reporte" : `Se cambiaron ${count} reportes`),
    history: "Historial",
    next: "Qué puedes hacer",
    statuses: ["De «Reportado» a «En progreso».", "De «En progreso» a «Resuelto»."],
    one: (id: number) => `Reporte ${id}`,
    noDescription: "Sin descripción",
    unassigned: "Sin asignar",
    groupWill: (name: string) =>
      `Los 2 reportes abiertos de «${name}» pasarán a resueltos y saldrán de los reportados.`,
    only: (name: string) => `Reportes de «${name}»`,
    dashboard: "Reportes sin resolver",
    movies: "Películas",
  },
  en: {
    title: "Playback errors",
    search: "Search by title, content or type...",
    tabs: { reported: /^Reported/, repaired: /^Repaired/, all: /^All/ },
    group: "Group by content",
    more: (name: string) => `More actions for “${name}”`,
    begin: "Mark as in progress",
    assign: "Assign",
    assignedTo: "Assigned to",
    priority: "Change priority",
    priorityField: "Priority",
    critical: "Critical",
    notes: "Notes",
    save: "Save notes",
    resolve: "Mark as resolved",
    resolveTitle: "Mark as resolved?",
    notesOptional: "Notes (optional)",
    reject: "Reject",
    rejectTitle: "Reject?",
    close: "Close report",
    closeTitle: "Close?",
    reopen: "Back to reported",
    reopenTitle: "Back to reported?",
    delete: "Delete",
    deleteTitle: "Delete report",
    deleted: /Report .* was deleted/,
    changed: (count: number) => (count === 1 ? "1 report changed" : `${count} reports changed`),
    history: "History",
    next: "What you can do",
    statuses: ["From “Reported” to “In progress”.", "From “In progress” to “Resolved”."],
    one: (id: number) => `Report ${id}`,
    noDescription: "No description",
    unassigned: "Unassigned",
    groupWill: (name: string) =>
      `All 2 open reports on “${name}” will be marked as resolved and leave the “Reported” tab.`,
    only: (name: string) => `Reports on “${name}”`,
    dashboard: "Unresolved reports",
    movies: "Movies",
  },
};

const complaint = { contentType: "MOVIE", reportType: "NOT_LOADING" };
const report = async (data: object) => create(await clientOf(), "issue-reports", { ...complaint, ...data });

async function film(title: string) {
  const client = await clientOf();
  const link = { url: "https://cdn.example/film.m3u8", quality: "FHD", audioLanguages: ["SPANISH"] };
  const draft = { title, year: 2020, durationMinutes: 100, classification: "G", links: [link] };
  return create(client, "movies", { ...draft, categoryId: await categoryId(client, "Acción") });
}

beforeAll(async () => {
  const keeper = { username: "issue_keeper", fullName: "Elena Rey", roleCode: "contentManager" } as const;
  await register(await clientOf(), keeper);
});

/** What is chosen from the menu of a row. */
async function choose(page: Page, row: Locator, more: string, verb: string) {
  await row.getByRole("button", { name: more, exact: true }).click();
  await page.getByRole("menuitem").filter({ hasText: verb }).first().click();
}

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];
  const item = `Cine ${language}`;

  test("a report is started, assigned, prioritised, resolved and reopened", async () => {
    const { id: filmId } = await film(item);
    const name = `Sin audio ${language}`;
    const { id } = await report({ title: name, contentId: filmId, reporter: "Abonado 7" });
    const page = await open("/issues", { language });
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
    await heading(page, w.title).waitFor();
    await page.getByRole("searchbox", { name: w.search }).fill(item.toLowerCase());
    await row.getByText(w.noDescription).waitFor();
    await row.getByText(item).waitFor();

    await choose(page, row, w.more(name), w.begin);
    await dismissToast(page, w.changed(1), shared[language]);
    await choose(page, row, w.more(name), w.assign);
    const assign = page.getByRole("dialog", { name: w.assign });
    await assign.getByRole("combobox", { name: w.assignedTo }).selectOption("issue_keeper");
    await assign.getByRole("button", { name: w.assign, exact: true }).click();
    await dismissToast(page, w.changed(1), shared[language]);
    await choose(page, row, w.more(name), w.priority);
    const priority = page.getByRole("dialog", { name: w.priority });
    await priority.getByRole("combobox", { name: w.priorityField }).selectOption({ label: w.critical });
    await priority.getByRole("button", { name: w.priority, exact: true }).click();
    await dismissToast(page, w.changed(1), shared[language]);
    await row.getByText(w.critical).waitFor();
    await choose(page, row, w.more(name), w.notes);
    const notes = page.getByRole("dialog", { name: w.notes });
    await notes.getByRole("textbox", { name: w.notes }).fill("El enlace 2 no responde");
    await notes.getByRole("button", { name: w.save, exact: true }).click();
    await dismissToast(page, w.changed(1), shared[language]);

    await row.getByRole("link", { name, exact: true }).click();
    const drawer = page.getByRole("dialog", { name: w.one(id) });
    await expect
      .poll(() => placeOf(drawer), { timeout: 30_000 })
      .toEqual({ top: 0, atTheEnd: true, full: true });
    await drawer.getByText("Abonado 7").waitFor();
    const assignee = drawer.getByRole("combobox", { name: w.assignedTo });
    await expect.poll(() => assignee.inputValue()).toBe("issue_keeper");
    expect(await drawer.getByRole("link", { name: item }).getAttribute("href")).toBe(
      `/content/movies/${filmId}/edit`,
    );
    await drawer.getByRole("region", { name: w.next }).getByRole("button", { name: w.resolve }).click();
    const resolve = page.getByRole("dialog", { name: w.resolveTitle });
    // What was written before is there to be added to.
    expect(await resolve.getByRole("textbox", { name: w.notesOptional }).inputValue()).toBe(
      "El enlace 2 no responde",
    );
    await resolve.getByRole("textbox", { name: w.notesOptional }).fill("Enlace nuevo");
    await resolve.getByRole("button", { name: w.resolve, exact: true }).click();
    const toast = page.getByRole("alert").filter({ hasText: w.changed(1) });
    await expect.poll(() => overlap(toast, drawer.getByRole("heading", { name: w.one(id) }))).toBe(false);
    await dismissToast(page, w.changed(1), shared[language]);
    const history = drawer.getByRole("region", { name: w.history });
    for (const line of w.statuses) await history.getByText(line).waitFor();
    await history.getByText("Enlace nuevo").waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "hidden" });
    await expectGone(row);

    await page.getByRole("link", { name: w.tabs.repaired }).click();
    await row.waitFor();
    await choose(page, row, w.more(name), w.reopen);
    await page
      .getByRole("dialog", { name: w.reopenTitle })
      .getByRole("button", { name: w.reopen, exact: true })
      .click();
    await dismissToast(page, w.changed(1), shared[language]);
    await expectGone(row);
    await page.getByRole("link", { name: w.tabs.reported }).click();
    await row.waitFor();
  });

  test("reports are rejected, closed and deleted, each after a question", async () => {
    const names = ["Rechazado", "Cerrado", "Eliminado"].map((word) => `${word} ${language}`);
    for (const title of names) await report({ title, content: `Nadie sabe ${language}` });
    const [rejected, closed, deleted] = names as [string, string, string];
    const page = await open(`/issues?search=nadie+sabe+${language}`, { language });
    const rowOf = (name: string) =>
      page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
    for (const [name, action, title] of [
      [rejected, w.reject, w.rejectTitle],
      [closed, w.close, w.closeTitle],
    ] as const) {
      await choose(page, rowOf(name), w.more(name), action);
      const dialog = page.getByRole("dialog", { name: title });
      await dialog.getByRole("button", { name: action, exact: true }).click();
      await dismissToast(page, w.changed(1), shared[language]);
      await expectGone(rowOf(name));
    }
    await choose(page, rowOf(deleted), w.more(deleted), w.delete);
    const dialog = page.getByRole("dialog", { name: w.deleteTitle });
    await dialog.getByRole("button", { name: w.delete, exact: true }).click();
    await page.getByRole("alert").filter({ hasText: w.deleted }).waitFor();
    await page.getByRole("link", { name: w.tabs.all }).click();
    await rowOf(rejected).waitFor();
    await rowOf(closed).waitFor();
    expect(await rowOf(deleted).count()).toBe(0);
  });

  test("the complaints about one item are one job", async () => {
    const name = `Canal ${language}`;
    for (const title of ["Sin audio", "No carga"]) await report({ title, contentType: "TV", content: name });
    const page = await open("/issues", { language });
    const grouping = page.getByRole("switch", { name: w.group });
    await grouping.click({ force: true });
    await expect.poll(() => grouping.isChecked()).toBe(true);
    await page.getByRole("searchbox").fill(name);
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
    await row.getByText("2", { exact: true }).waitFor();
    await row.getByRole("link", { name, exact: true }).click();
    await page.getByText(w.only(name)).waitFor();
    expect(await page.getByRole("table").getByRole("row").count()).toBe(3);
    await page.goBack();
    await choose(page, row, w.more(name), w.begin);
    await dismissToast(page, w.changed(2), shared[language]);
    await row.getByRole("button", { name: new RegExp(`^${w.resolve}`) }).click();
    const dialog = page.getByRole("dialog", { name: w.resolveTitle });
    await dialog.getByText(w.groupWill(name)).waitFor();
    await dialog.getByRole("textbox", { name: w.notesOptional }).fill("Señal restablecida");
    await dialog.getByRole("button", { name: w.resolve, exact: true }).click();
    await dismissToast(page, w.changed(2), shared[language]);
    await expectGone(row);
  });

  test("a content manager comes from the dashboard, and deletes nothing", async () => {
    const page = await open("/", { language, as: "issue_keeper" });
    await page.getByRole("region", { name: w.dashboard }).getByRole("link", { name: w.movies }).click();
    await expectPath(page, "/issues");
    expect(new URL(page.url()).search).toBe("?contentType=MOVIE");
    const name = `Sin audio ${language}`;
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
    await row.getByRole("button", { name: w.more(name), exact: true }).click();
    await page.getByRole("menuitem").first().waitFor();
    expect(await page.getByRole("menuitem").filter({ hasText: w.delete }).count()).toBe(0);
  });
});

const w = words.es;
const screens: Record<string, { path: string; prepare: (page: Page) => Promise<unknown> }> = {
  list: { path: "/issues", prepare: (page) => page.getByRole("link", { name: "Sin audio es" }).waitFor() },
  "list, menu of a row": {
    path: "/issues?search=audio+es",
    prepare: async (page) => {
      await page.getByRole("button", { name: w.more("Sin audio es") }).click();
      await page.getByRole("menuitem").first().waitFor();
    },
  },
  "list, nothing found": {
    path: "/issues?search=zzzz",
    prepare: (page) => page.getByText(shared.es.list.nothingFound).waitFor(),
  },
  groups: {
    path: "/issues?grouped=1",
    prepare: (page) => page.getByRole("link", { name: "Cine es", exact: true }).waitFor(),
  },
  "question before resolving": {
    path: "/issues?search=audio+es",
    prepare: async (page) => {
      await page
        .getByRole("button", { name: /^Marcar como resuelto/ })
        .first()
        .click();
      await page.getByRole("dialog", { name: w.resolveTitle }).waitFor();
    },
  },
  "the form of assigning": {
    path: "/issues?search=audio+es",
    prepare: async (page) => {
      await page.getByRole("button", { name: w.more("Sin audio es") }).click();
      await page.getByRole("menuitem").filter({ hasText: w.assign }).click();
      await page.getByRole("dialog", { name: w.assign }).getByRole("combobox").waitFor();
    },
  },
  "report that is open": {
    path: "/issues",
    prepare: async (page) => {
      await page.getByRole("link", { name: "Sin audio es" }).click();
      await page.getByRole("region", { name: w.history }).waitFor();
    },
  },
  "report that is not there": {
    path: "/issues?report=999999",
    prepare: (page) => page.getByText("El reporte no fue encontrado").waitFor(),
  },
};

/** They are made of what the others are made of. */
const onlyNightly = ["list", "list, nothing found", "question before resolving", "report that is not there"];

test.each(casesOf(screens, onlyNightly))("for axe: %s", async (name, { path, prepare }) => {
  await expectAccessibleIn([light, dark, narrow], name, async (look) => {
    const page = await open(path, look);
    await prepare(page);
    return page;
  });
});

/** Whether one is over the other on the screen. */
async function overlap(one: Locator, other: Locator) {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  return a && b && a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Whether a drawer is at the end of the window's width, and as high as the window. */
function placeOf(drawer: Locator) {
  return drawer.evaluate((element) => {
    const { top, right, height } = element.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    return { top, atTheEnd: Math.abs(right - clientWidth) < 20, full: height === clientHeight };
  });
}
