// Lists that have a file: its address has the search, the filters, the order and the columns of the list.
import { screen, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../../../testing/backend";
import { changeCounts, page, run, source } from "../../../testing/playlists";
import { renderPage } from "../../../testing/render";
import { server } from "../../../testing/server";

const nothing = () => HttpResponse.json(page([]));

beforeEach(() => {
  backend.user = { username: "ana", roleCode: "admin", roleName: "Mi rol", permissions: [] };
  server.use(
    http.get("/api/links", nothing),
    http.get("/api/links/summary", () =>
      HttpResponse.json({ states: [], hosts: [], channels: [], probed: true }),
    ),
    http.get("/api/playlist-sources", nothing),
    http.get("/api/playlist-sources/1", () => HttpResponse.json(source)),
    http.get("/api/playlist-sources/1/runs", () => HttpResponse.json(page([run]))),
    http.get("/api/playlist-sources/1/runs/5/changes", nothing),
    http.get("/api/playlist-sources/1/runs/5/counts", () => HttpResponse.json(changeCounts)),
    http.get("/api/playlist-sources/1/groups", () => HttpResponse.json([])),
    http.get("/api/tv-guides", nothing),
    http.get("/api/epg-matches", nothing),
    http.get("/api/epg-matching", () => HttpResponse.json({ state: "IDLE", levels: [] })),
  );
});

interface Case {
  /** Where the list is, as it is shown. */
  at: string;
  file: string;
  /** Columns that the file can have; the first one is not shown in the list. */
  columns: string[];
  query: Record<string, string>;
}

test.each<Case>([
  {
    at: "/content/links?search=nueve&state=DOWN,FLAPPING&host=cdn.example.com&sort=-since&page=2",
    file: "links",
    columns: ["id", "title", "host", "state", "outcome", "httpStatus"],
    query: { search: "nueve", state: "DOWN,FLAPPING", host: "cdn.example.com", _sort: "-since" },
  },
  {
    at: "/content/playlists?search=prov&sort=title",
    file: "playlist-sources",
    columns: ["automatic", "title", "url", "lastRun", "lastRunDate"],
    query: { search: "prov", _sort: "+title" },
  },
  {
    at: "/content/playlists/1?search=siete&group=Deportes&duplicate=false",
    file: "playlist-changes",
    columns: ["guideId", "name", "url", "change", "candidates"],
    query: {
      search: "siete",
      group: "Deportes",
      duplicate: "false",
      change: "NEW,CHANGED,MISSING",
      ignored: "false",
      source: "1",
      run: "5",
    },
  },
  {
    at: "/content/epg-review?search=siete&guide=3&decision=NONE&minScore=40",
    file: "epg-matches",
    columns: ["id", "title", "candidate", "score"],
    query: { search: "siete", guide: "3", decided: "false", minScore: "40" },
  },
  {
    at: "/content/epg-review",
    file: "epg-matches",
    columns: ["id", "title"],
    query: { level: "REVIEW" },
  },
  {
    at: "/settings/live-profiles?search=salón&sort=-calls",
    file: "live-profiles",
    columns: ["id", "name", "username", "keyName", "calls"],
    query: { search: "salón", _sort: "-calls" },
  },
  {
    at: "/settings/webhooks?search=fact&sort=-createdDate",
    file: "webhooks",
    columns: ["id", "name", "url", "active", "pausedDate"],
    query: { search: "fact", _sort: "-createdDate" },
  },
  {
    at: "/issues?grouped=1&search=dune&contentType=TV&sort=-reports",
    file: "issue-groups",
    columns: ["id", "title", "contentType", "reports", "inProgress"],
    query: { search: "dune", contentType: "TV", _sort: "-reports" },
  },
])("of $at as $file", async ({ at, file, columns, query }) => {
  server.use(
    http.get(`/api/spreadsheets/${file}/columns`, () =>
      HttpResponse.json(columns.map((key) => ({ key, heading: key }))),
    ),
  );
  const { user } = renderPage(at);
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
  await dialog.findByRole("checkbox", { name: columns[1] });
  const href = dialog.getByRole("link", { name: "Descargar" }).getAttribute("href");
  const { pathname, searchParams } = new URL(href ?? "", "http://x");
  expect(pathname).toBe(`/api/spreadsheets/${file}`);
  expect(Object.fromEntries(searchParams)).toEqual({
    format: "xlsx",
    language: "es",
    columns: columns.slice(1).join(),
    ...query,
  });
});
