// The history of visits of the mock server: the table «visits», newest first, and its days.
import { HttpResponse, http } from "msw";
import type { Day, Visit } from "../features/visit-history/queries";
import { backend, pageOf } from "./backend";

export function sampleVisit(id: number, change: Partial<Visit> = {}): Visit {
  return {
    id,
    occurredAt: "2026-11-20T10:15:00Z",
    kind: "VISIT",
    username: "pedro_gil",
    fullName: "Pedro Gil",
    registered: true,
    address: "203.0.113.7",
    device: "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36",
    content: { contentType: "MOVIE", contentId: 7, title: "Dune" },
    source: "App de TV",
    ...change,
  };
}

const sampleDays: Day[] = [
  { day: "2026-11-18", signIns: 0, visits: 1200 },
  { day: "2026-11-19", signIns: 0, visits: 0 },
  { day: "2026-11-20", signIns: 3, visits: 40 },
];

export function setVisits(...visits: Visit[]): void {
  backend.tables.visits = visits as unknown as (typeof backend.tables)[string];
}

export const visitHandlers = [
  http.get("/api/visits/per-day", () => HttpResponse.json(sampleDays)),
  http.get("/api/visits", ({ request }) => {
    const query = new URL(request.url).searchParams;
    const all = (backend.tables.visits ?? []) as unknown as Visit[];
    const fits = ({ username, kind }: Visit) =>
      (query.get("username") ?? username).toLowerCase() === username && (query.get("kind") ?? kind) === kind;
    return pageOf(all.filter(fits), query);
  }),
];
