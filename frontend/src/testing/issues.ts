// The reports of the mock server: lists, groups, one report with its history, and changes by the plainest rules.
// Refusals are defined by each test.
import { screen, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { Group, Report, ReportDetails, Status } from "../features/issues/queries";
import { problem } from "./backend";

const everywhere: Record<Status, Status[]> = {
  REPORTADO: ["EN_PROGRESO", "RESUELTO", "CERRADO", "RECHAZADO"],
  EN_PROGRESO: ["REPORTADO", "RESUELTO", "CERRADO", "RECHAZADO"],
  RESUELTO: ["REPORTADO", "CERRADO"],
  CERRADO: ["REPORTADO"],
  RECHAZADO: ["REPORTADO", "RESUELTO", "CERRADO"],
};

export function sampleReport(id: number, change: Partial<Report> = {}): Report {
  const status = change.status ?? "REPORTADO";
  return {
    id,
    version: 1,
    title: "Sin audio",
    description: "No se escucha nada desde ayer.",
    contentType: "MOVIE",
    contentId: 7,
    content: "Dune",
    reportType: "AUDIO",
    reporter: null,
    reportedDate: "2026-11-20T15:05:00Z",
    updatedDate: "2026-11-20T15:05:00Z",
    status,
    priority: "MEDIUM",
    assignedTo: null,
    notes: null,
    groupId: 1,
    transitions: everywhere[status],
    ...change,
  };
}

export const reports = {
  all: [] as Report[],
  history: [] as ReportDetails["history"],
  /** What arrived, with the version that it was sent from. */
  sent: [] as { request: string; version: string | null; body: unknown }[],
  /** The last operation on the reports of a group. */
  operation: {},
};

export const sampleAssignees = [
  { username: "ana", fullName: "Ana Núñez" },
  { username: "bea_2", fullName: "Bea Paz" },
];

export function setReports(...all: Report[]): void {
  Object.assign(reports, { all: structuredClone(all), history: [], sent: [] });
}

const isOpen = ({ status }: Report) => status === "REPORTADO" || status === "EN_PROGRESO";
const item = { kind: "movies", id: 7, title: "Dune", showId: null };

function groups(): Group[] {
  const open = reports.all.filter((report) => isOpen(report) && report.groupId !== null);
  return [...new Set(open.map(({ groupId }) => groupId))].map((id) => {
    const ours = open.filter(({ groupId }) => groupId === id);
    const [first] = ours as [Report, ...Report[]];
    return {
      id: id as number,
      contentType: first.contentType,
      contentId: first.contentId,
      title: first.content ?? "",
      reports: ours.length,
      inProgress: ours.filter(({ status }) => status === "EN_PROGRESO").length,
      reportTypes: [...new Set(ours.map(({ reportType }) => reportType))],
      firstDate: first.reportedDate,
      lastDate: first.reportedDate,
      priority: first.priority,
      assignedTo: [],
      item: first.contentId === null ? null : { ...item, title: first.content ?? "" },
    };
  });
}

function page<Row>(rows: Row[], query: URLSearchParams) {
  const [number, size] = [Number(query.get("_page")), Number(query.get("_size"))];
  return HttpResponse.json({
    content: rows.slice(number * size, (number + 1) * size),
    page: number,
    size,
    totalPages: Math.ceil(rows.length / size),
    totalElements: rows.length,
  });
}

async function keep(request: Request) {
  const { pathname } = new URL(request.url);
  const body = request.body ? ((await request.json()) as Partial<Report>) : {};
  const version = request.headers.get("if-match");
  reports.sent.push({ request: `${request.method} ${pathname}`, version, body });
  return body;
}

function apply(report: Report, change: Partial<Report>): void {
  Object.assign(report, change, { version: report.version + 1 });
  report.transitions = everywhere[report.status];
}

const missing = () => problem(404, { code: "NOT_FOUND", message: "El reporte no fue encontrado" });
const find = (id: unknown) => reports.all.find((report) => report.id === Number(id));

export const issueHandlers = [
  http.get("/api/issue-reports", ({ request }) => {
    const query = new URL(request.url).searchParams;
    const statuses = query.get("status")?.split(",");
    const search = (query.get("search") ?? "").toLowerCase();
    const found = reports.all
      .filter(({ status }) => !statuses || statuses.includes(status))
      .filter(({ title, content }) => `${title} ${content}`.toLowerCase().includes(search))
      .filter(({ groupId }) => !query.has("group") || String(groupId) === query.get("group"))
      .filter(({ contentType }) => !query.has("contentType") || contentType === query.get("contentType"));
    return page(found, query);
  }),
  http.get("/api/issue-reports/stats", () => {
    const count = (...statuses: Status[]) =>
      reports.all.filter(({ status }) => statuses.includes(status)).length;
    return HttpResponse.json({
      reportados: count("REPORTADO"),
      enProgreso: count("EN_PROGRESO"),
      resueltos: count("RESUELTO", "CERRADO"),
      total: reports.all.length,
    });
  }),
  http.get("/api/issue-reports/assignees", () => HttpResponse.json(sampleAssignees)),
  http.get("/api/issue-reports/groups", ({ request }) => page(groups(), new URL(request.url).searchParams)),
  // An operation on the open reports of a group, which ends at once.
  http.post("/api/operations", async ({ request }) => {
    const { filter, action } = (await keep(request)) as {
      filter?: { group: number };
      action?: { set: Partial<Report> };
    };
    const ours = reports.all.filter((one) => isOpen(one) && one.groupId === filter?.group);
    for (const report of ours) apply(report, action?.set ?? {});
    const counts = { changed: ours.length, unchanged: 0, refused: 0, conflicts: 0, missing: 0, created: 0 };
    reports.operation = { id: 5, state: "FINISHED", total: ours.length, done: ours.length, counts };
    return HttpResponse.json(reports.operation, { status: 202 });
  }),
  http.get("/api/operations/:id", () => HttpResponse.json(reports.operation)),
  http.get("/api/issue-reports/:id/links", () => HttpResponse.json([])),
  http.get("/api/issue-reports/:id", ({ params }) => {
    const report = find(params.id);
    if (!report) return missing();
    return HttpResponse.json({
      ...report,
      item: report.contentId === 7 ? { ...item, title: report.content } : null,
      history: reports.history,
    });
  }),
  http.patch("/api/issue-reports/:id", async ({ params, request }) => {
    const change = await keep(request);
    const report = find(params.id);
    if (!report) return missing();
    if (request.headers.get("if-match") !== `"${report.version}"`)
      return problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: report });
    apply(report, { ...(change.status === "EN_PROGRESO" && { assignedTo: "ana" }), ...change });
    return HttpResponse.json(report);
  }),
  http.delete("/api/issue-reports/:id", async ({ params, request }) => {
    await keep(request);
    reports.all = reports.all.filter(({ id }) => id !== Number(params.id));
    return new HttpResponse(null, { status: 204 });
  }),
];

/** A report of each state. */
export function setSampleReports(): void {
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
}

export const reportTable = () => screen.getByRole("table", { name: "Errores de reproducción" });

/** The cells of the list's rows, without the boxes that select them. */
export async function reportRows(): Promise<HTMLElement[][]> {
  await screen.findByText(/^Mostrando/);
  return within(reportTable())
    .getAllByRole("row")
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole("cell")
        .filter((cell) => within(cell).queryByRole("checkbox") === null),
    );
}
