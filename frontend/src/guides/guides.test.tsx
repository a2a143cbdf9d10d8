// The newest fetch of a guide in the list of guides and on a guide's own page, and how it is read now.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../testing/backend";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";
import type { GuideFetch } from "./queries";

const guide = (id: number) => ({
  id,
  title: `Guía ${id}`,
  url: `https://guides.example/${id}.xml`,
  active: true,
  gzip: false,
  version: 1,
  createdDate: "2026-11-01T10:00:00Z",
  updatedDate: "2026-11-01T10:00:00Z",
  createdBy: "ana",
  updatedBy: "ana",
});

const fetchOf = (guideId: number, changes: Partial<GuideFetch> = {}): GuideFetch => ({
  guideId,
  title: `Guía ${guideId}`,
  active: true,
  version: 1,
  refreshHours: 12,
  zone: "UTC",
  shiftMinutes: 0,
  priority: 100,
  state: "DONE",
  fileName: null,
  requestedBy: null,
  fault: null,
  statusCode: null,
  finishedDate: "2026-11-20T10:15:00Z",
  lastGoodDate: "2026-11-20T10:15:00Z",
  nextFetchDate: null,
  newestProgramme: null,
  counts: { channels: 3, programmes: 40, outside: 0, added: 40, changed: 0, removed: 0, unchanged: 0 },
  leftOut: [{ reason: "INVALID_TIME", message: "Hora no válida", count: 2 }],
  examples: [{ reason: "INVALID_TIME", message: "Hora no válida", text: "25:61" }],
  ...changes,
});

let asked: string[];

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "Mi rol",
    permissions: ["TVGUIDE_READ", "TVGUIDE_UPDATE"],
  };
  asked = [];
  const fetches = [fetchOf(1), fetchOf(2, { state: "FAILED", fault: "STATUS", statusCode: 502 })];
  const list = { content: [guide(1), guide(2)], page: 0, size: 10, totalPages: 1, totalElements: 2 };
  server.use(
    http.get("*/api/tv-guides", () => HttpResponse.json(list)),
    http.get("*/api/tv-guides/2", () => HttpResponse.json(guide(2))),
    http.get("*/api/guide-fetches", () => {
      asked.push("fetches");
      return HttpResponse.json(fetches);
    }),
    http.get("*/api/tv-guides/2/fetching", () => HttpResponse.json(fetches[1])),
    http.post("*/api/tv-guides/:id/fetch", ({ params }) => {
      asked.push(`read ${params.id}`);
      return HttpResponse.json(fetchOf(Number(params.id), { state: "WAITING" }), { status: 202 });
    }),
  );
});

test("the rows of guides share one request and read a guide now", async () => {
  const { user } = renderPage("/content/tv-guide");
  const read = await screen.findByRole("button", { name: "Leer «Guía 2» ahora" });
  expect(screen.getByText("Leída")).toBeVisible();
  expect(asked).toEqual(["fetches"]);
  await user.click(read);
  await waitFor(() => expect(asked).toContain("read 2"));
  await user.click(screen.getByRole("button", { name: "Última lectura de «Guía 2»" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Guía 2" }));
  expect(await dialog.findByText(/El servidor respondió con un error/)).toHaveTextContent("HTTP 502");
});

test("a guide's own page says what its newest fetch held and left out", async () => {
  renderPage("/content/tv-guide/2/edit");
  const section = within(await screen.findByRole("region", { name: "Última lectura" }));
  expect(section.getByText("3 canales, 40 programas")).toBeVisible();
  expect(section.getByText(/Hora no válida/)).toHaveTextContent("2 «25:61»");
  expect(section.getByRole("button", { name: "Subir un archivo para «Guía 2»" })).toBeEnabled();
});
