// The links of the item that a report is about, from down to playing again and the reports resolved.
import { screen, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../../testing/backend";
import { reports, sampleReport, setReports } from "../../testing/issues";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import type { ReportedLink } from "./queries";

const link: ReportedLink = {
  id: 4,
  owner: "tv-channels",
  itemId: 9,
  position: 0,
  label: null,
  title: "Canal 9",
  host: "cdn.example.com",
  active: true,
  switchedOff: false,
  state: "DOWN",
  since: "2026-11-20T14:04:00Z",
  nextProbe: "2026-11-20T16:00:00Z",
  probedAt: "2026-11-20T15:30:00Z",
  probe: {
    outcome: "HTTP",
    httpStatus: 404,
    milliseconds: 80,
    format: null,
    height: null,
    codecs: null,
    bitrate: null,
    variants: null,
  },
  addressSince: null,
  cameUp: null,
  playsAgain: false,
};

const sentence = /^El enlace vuelve a reproducirse desde el 20 de noviembre de 2026(,| a las) \d+:10:00\.$/;
const again: ReportedLink = { ...link, state: "UP", cameUp: "2026-11-20T15:10:00Z", playsAgain: true };
const ofChannel = { contentType: "TV", contentId: 9, content: "Canal 9" } as const;

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "",
    permissions: ["ISSUES_READ", "ISSUES_UPDATE", "TVCHANNEL_READ", "MOVIE_READ"],
  };
  setReports(sampleReport(31, { contentType: "TV", contentId: 9, content: "Canal 9", groupId: 1 }));
});

async function openReport(links: ReportedLink[]) {
  server.use(http.get("/api/issue-reports/31/links", () => HttpResponse.json(links)));
  const page = renderPage("/issues?report=31");
  const drawer = within(await screen.findByRole("dialog", { name: "Reporte 31" }));
  return {
    ...page,
    drawer,
    section: within(await drawer.findByRole("region", { name: "Enlaces del contenido" })),
  };
}

test("one that is down says since when and why, and there is nothing to resolve", async () => {
  const { section } = await openReport([link]);
  expect(section.getByText("Caído")).toBeVisible();
  expect(section.getByText(/\(404\)/)).toBeVisible();
  expect(section.queryByText("El enlace vuelve a reproducirse")).not.toBeInTheDocument();
  expect(section.queryByText(/La dirección se cambió/)).not.toBeInTheDocument();
});

test("one whose address was changed after the report says so", async () => {
  const { section } = await openReport([{ ...link, addressSince: "2026-11-20T15:06:00Z" }]);
  expect(section.getByText("La dirección se cambió después de este reporte.")).toBeVisible();
});

test("one that came up before the report says that it plays, and no more", async () => {
  const { section } = await openReport([{ ...link, state: "UP", cameUp: "2026-11-20T15:00:00Z" }]);
  expect(section.getByText("Se reproduce")).toBeVisible();
  expect(section.queryByText("El enlace vuelve a reproducirse")).not.toBeInTheDocument();
});

test("a stream that came up and that players do not get is no reason to resolve reports", async () => {
  const { section } = await openReport([link, { ...again, id: 5, position: 1, playsAgain: false }]);
  expect(section.getByText("Se reproduce")).toBeVisible();
  expect(section.queryByText("El enlace vuelve a reproducirse")).not.toBeInTheDocument();
});

test("one that came up after the report resolves all reports on the channel with one click", async () => {
  const { section, user } = await openReport([again]);
  expect(section.getByText("El enlace vuelve a reproducirse")).toBeVisible();
  await user.click(section.getByRole("button", { name: "Resolver todos los reportes del contenido" }));
  expect(await screen.findByText("Se cambió 1 reporte")).toBeVisible();
  expect(reports.sent).toEqual([
    {
      request: "POST /api/operations",
      version: null,
      body: {
        resource: "issue-reports",
        filter: { group: 1, status: "REPORTADO,EN_PROGRESO" },
        action: { type: "SET", set: { status: "RESUELTO", notes: expect.stringMatching(sentence) } },
        dryRun: false,
      },
    },
  ]);
});

test("a rejected report is not resolved by a click that changes open ones", async () => {
  setReports(sampleReport(31, { ...ofChannel, groupId: 1, status: "RECHAZADO" }));
  const { section } = await openReport([again]);
  expect(section.getByText("El enlace vuelve a reproducirse")).toBeVisible();
  expect(section.queryByRole("button", { name: /^Resolver/ })).not.toBeInTheDocument();
});

test("what the team noted on a report stays before the note that its link plays again", async () => {
  setReports(sampleReport(31, { ...ofChannel, groupId: null, notes: "Llamé al proveedor." }));
  const { section, user } = await openReport([again]);
  await user.click(section.getByRole("button", { name: "Resolver el reporte" }));
  expect(await screen.findByText("Se cambió 1 reporte")).toBeVisible();
  const [first, second, ...more] = (reports.all[0]?.notes ?? "").split("\n");
  expect([first, more]).toEqual(["Llamé al proveedor.", []]);
  expect(second).toMatch(sentence);
});

test("notes that fill their field stay as they are", async () => {
  setReports(sampleReport(31, { ...ofChannel, groupId: null, notes: "x".repeat(1990) }));
  const { section, user } = await openReport([again]);
  await user.click(section.getByRole("button", { name: "Resolver el reporte" }));
  expect(await screen.findByText("Se cambió 1 reporte")).toBeVisible();
  expect(reports.sent.map(({ body }) => body)).toEqual([{ status: "RESUELTO" }]);
});

test("the notes of reports on one channel are not replaced where they differ", async () => {
  setReports(
    sampleReport(31, { ...ofChannel, notes: null }),
    sampleReport(32, { ...ofChannel, notes: "Llamé al proveedor." }),
    // What is not open is not changed, and its notes do not count.
    sampleReport(33, { ...ofChannel, status: "CERRADO", notes: "Repetido." }),
  );
  const { section, user } = await openReport([again]);
  await user.click(section.getByRole("button", { name: "Resolver todos los reportes del contenido" }));
  expect(await screen.findByText("Se cambiaron 2 reportes")).toBeVisible();
  expect(reports.sent.map(({ body }) => body)).toMatchObject([{ action: { set: { status: "RESUELTO" } } }]);
  expect(reports.all.map(({ notes }) => notes)).toEqual([null, "Llamé al proveedor.", "Repetido."]);
});

test("one of a film is shown as well, and the list says that it plays again", async () => {
  const film = sampleReport(31, { contentType: "MOVIE", contentId: 7 });
  server.use(
    http.get("/api/issue-reports", () =>
      HttpResponse.json({
        content: [
          { ...film, playsAgain: true },
          { ...sampleReport(32), playsAgain: false },
          { ...sampleReport(33, { status: "RESUELTO" }), playsAgain: true },
          { ...sampleReport(34, { status: "RECHAZADO" }), playsAgain: true },
        ],
        page: 0,
        size: 10,
        totalPages: 1,
        totalElements: 4,
      }),
    ),
  );
  setReports(film);
  const { section } = await openReport([{ ...link, owner: "movies", itemId: 7 }]);
  expect(section.getByText("Caído")).toBeVisible();
  // What is resolved already, or was rejected, needs no more of it.
  expect(screen.getAllByText("Vuelve a verse")).toHaveLength(1);
});

test("without the right to read the item its links are not requested", async () => {
  backend.user = { ...backend.user, permissions: ["ISSUES_READ", "TVCHANNEL_READ"] } as typeof backend.user;
  setReports(sampleReport(31, { contentType: "MOVIE", contentId: 7 }));
  server.use(http.get("/api/issue-reports/31/links", () => HttpResponse.json([link])));
  renderPage("/issues?report=31");
  const drawer = within(await screen.findByRole("dialog", { name: "Reporte 31" }));
  expect(await drawer.findByRole("region", { name: "Historial" })).toBeVisible();
  expect(drawer.queryByRole("region", { name: "Enlaces del contenido" })).not.toBeInTheDocument();
});
