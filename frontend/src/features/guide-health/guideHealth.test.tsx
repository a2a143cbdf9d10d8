// The channels of a guide that nothing uses: opened by their number, found by name or id, page by page.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const coverage = { percent: 100, gaps: 0, overlaps: 0, placeholders: 0 };
const unused = Array.from({ length: 60 }, (_, index) => ({
  id: index + 1,
  epgId: `canal.${index + 1}`,
  title: `Canal ${index + 1}`,
  used: false,
}));
let searches: string[];

beforeEach(() => {
  backend.user = { username: "ana", roleCode: "agent", roleName: "Mi rol", permissions: ["TVGUIDE_READ"] };
  searches = [];
  server.use(
    http.get("/api/guide-fetches", () =>
      HttpResponse.json([
        {
          guideId: 7,
          title: "Guía nacional",
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
          counts: { channels: 60, programmes: 9, outside: 0, added: 9, changed: 0, removed: 0, unchanged: 0 },
          leftOut: [],
          examples: [],
        },
      ]),
    ),
    http.get("/api/guide-health", () =>
      HttpResponse.json({
        channels: 0,
        day: coverage,
        threeDays: coverage,
        guides: [
          {
            guideId: 7,
            channels: 0,
            day: coverage,
            threeDays: coverage,
            unused: 60,
            stale: false,
            shift: null,
          },
        ],
        without: [],
      }),
    ),
    http.get("/api/tv-guides/7/channels", ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      searches.push(search);
      const text = searchParams.get("search");
      const found = unused.filter(({ epgId, title }) => !text || epgId === text || title === text);
      const page = Number(searchParams.get("_page"));
      return HttpResponse.json({
        content: found.slice(page * 50, (page + 1) * 50),
        page,
        size: 50,
        totalPages: Math.ceil(found.length / 50),
        totalElements: found.length,
      });
    }),
  );
});

async function open() {
  const { user } = renderPage("/content/guide-health");
  await user.click(await screen.findByRole("button", { name: "60 ID de EPG sin usar" }));
  const dialog = within(
    await screen.findByRole("dialog", { name: "Canales de «Guía nacional» que nadie usa" }),
  );
  await dialog.findByText("Canal 1");
  return { user, dialog };
}

test("ids that nothing uses are listed with their names, page by page", async () => {
  const { user, dialog } = await open();
  expect(dialog.getAllByRole("listitem")).toHaveLength(50);
  expect(dialog.getAllByRole("listitem")[0]).toHaveTextContent("Canal 1 canal.1");
  expect(dialog.getByRole("button", { name: "Página anterior" })).toBeDisabled();
  await user.click(dialog.getByRole("button", { name: "Página siguiente" }));
  await dialog.findByText("Canal 60");
  expect(dialog.getAllByRole("listitem")).toHaveLength(10);
  expect(dialog.getByText("2 / 2")).toBeVisible();
  expect(dialog.getByRole("button", { name: "Página siguiente" })).toBeDisabled();
  expect(searches).toEqual(["?used=false&_page=0&_size=50", "?used=false&_page=1&_size=50"]);
});

test("they are searched by name and id from the first page on, and a search without a result says so", async () => {
  const { user, dialog } = await open();
  await user.click(dialog.getByRole("button", { name: "Página siguiente" }));
  await dialog.findByText("Canal 60");
  const search = dialog.getByRole("searchbox");
  // Its basis is a width: straight in a column it would be 256 pixels high.
  expect(search.closest(".search-box")?.parentElement).toHaveClass("list-tools");
  await user.type(search, "canal.7");
  await waitFor(() => expect(dialog.getAllByRole("listitem")).toHaveLength(1));
  expect(dialog.getByText("Canal 7")).toBeVisible();
  await user.clear(search);
  await user.type(search, "nada");
  await dialog.findByText("Ninguno coincide.");
  expect(searches.at(-1)).toBe("?used=false&_page=0&_size=50&search=nada");
});

test("they have a file: of this guide, and of what was searched", async () => {
  const columns = ["epgId", "title", "used"].map((key) => ({ key, heading: key }));
  server.use(http.get("/api/spreadsheets/guide-channels/columns", () => HttpResponse.json(columns)));
  const { user, dialog } = await open();
  await user.type(dialog.getByRole("searchbox"), "canal.7");
  await waitFor(() => expect(dialog.getAllByRole("listitem")).toHaveLength(1));
  await user.click(await dialog.findByRole("button", { name: "Exportar…" }));
  const file = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
  await file.findByRole("checkbox", { name: "epgId" });
  expect(file.getByRole("link", { name: "Descargar" })).toHaveAttribute(
    "href",
    "/api/spreadsheets/guide-channels?format=xlsx&language=es&columns=epgId%2Ctitle&guide=7&used=false&search=canal.7",
  );
});

test.each([
  ["a file of all channels for users who may read them", ["TVGUIDE_READ", "TVCHANNEL_READ"], true],
  ["no file for other users", ["TVGUIDE_READ"], false],
])("the page has %s", async (_, permissions, hasFile) => {
  backend.user = { username: "ana", roleCode: "agent", roleName: "Mi rol", permissions };
  const columns = ["number", "title", "day"].map((key) => ({ key, heading: key }));
  server.use(http.get("/api/spreadsheets/guide-health/columns", () => HttpResponse.json(columns)));
  const { user } = renderPage("/content/guide-health");
  await screen.findByRole("button", { name: "60 ID de EPG sin usar" });
  if (!hasFile) return expect(screen.queryByRole("button", { name: "Exportar…" })).toBeNull();
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
  await dialog.findByRole("checkbox", { name: "day", checked: true });
  expect(dialog.getByRole("link", { name: "Descargar" })).toHaveAttribute(
    "href",
    "/api/spreadsheets/guide-health?format=xlsx&language=es",
  );
});
