// The review of guides: channels with their candidates, and the server that answers for them.
import { HttpResponse, http } from "msw";
import type { Match } from "../features/epg-review/queries";
import type { Candidate } from "../guides/candidates/CandidateRow";
import { backend, pageOf, problem } from "./backend";
import { server } from "./server";

export function candidate(place: number, change: Partial<Candidate> = {}): Candidate {
  return {
    guideId: 1,
    guideTitle: "Guía nacional",
    xmlId: `c${place}`,
    name: `Candidato ${place}`,
    score: 90 - place,
    for: [{ code: "WORDS", message: "" }],
    against: [],
    now: null,
    ...change,
  };
}

export function match(id: number, change: Partial<Match> = {}): Match {
  return {
    id,
    version: 3,
    channelNumber: id,
    title: `Canal ${id}`,
    imageUrl: null,
    epgId: null,
    link: null,
    level: "REVIEW",
    candidates: [candidate(1), candidate(2, { against: [{ code: "NUMBER_DIFFERS", message: "" }] })],
    decision: null,
    decidedBy: null,
    decidedDate: null,
    undoUntil: null,
    ...change,
  };
}

/** The channels of the review, the searches whose matches were counted, and what was sent. */
export const review = {
  rows: [] as Match[],
  counted: [] as string[],
  sent: [] as { path: string; body: unknown; version: string | null }[],
};

export const matching = () => ({
  auto: 86,
  review: 30,
  lead: 6,
  automatic: true,
  version: 1,
  updatedBy: null,
  state: "IDLE",
  requestedBy: null,
  finishedDate: "2026-11-20T10:15:00Z",
  counts: { channels: 0, sure: 0, review: 0, none: 0 },
  levels: [
    { level: "AUTO", count: 4 },
    { level: "REVIEW", count: review.rows.length },
    { level: "NONE", count: 1 },
  ],
});

/** Answers requests of the review for an admin. */
export function serveReview(): void {
  backend.user = { username: "ana", roleCode: "admin", roleName: "Mi rol", permissions: [] };
  review.rows = [match(1), match(2), match(3)];
  review.sent = [];
  review.counted = [];
  const record = async (request: Request) => {
    const { pathname } = new URL(request.url);
    const body = request.body ? await request.json() : undefined;
    review.sent.push({ path: pathname, body, version: request.headers.get("if-match") });
  };
  server.use(
    http.get("/api/tv-guides", () => HttpResponse.json({ content: [] })),
    http.get("/api/epg-matching", () => HttpResponse.json(matching())),
    http.get("/api/epg-matches", ({ request }) => {
      const query = new URL(request.url).searchParams;
      const channel = query.get("channel");
      const found = channel ? review.rows.filter(({ id }) => id === Number(channel)) : review.rows;
      return pageOf(found, query, 25);
    }),
    http.get("/api/epg-matches/counts", ({ request }) => {
      review.counted.push(new URL(request.url).search);
      return HttpResponse.json({
        total: review.rows.length,
        bands: [
          { from: 80, to: 89, count: 2 },
          { from: 30, to: 39, count: 1 },
        ],
        reasons: [{ code: "WORDS", message: "", count: review.rows.length }],
      });
    }),
    http.put("/api/tv-channels/:id/guide-link", async ({ request, params }) => {
      await record(request);
      const of = review.rows.find(({ id }) => id === Number(params.id)) as Match;
      review.rows = review.rows.filter(({ id }) => id !== of.id);
      return HttpResponse.json({ ...of, version: of.version + 1, decision: "ACCEPTED", level: "AUTO" });
    }),
    http.post("/api/epg-matches/undo", async ({ request }) => {
      await record(request);
      review.rows = [match(1), ...review.rows.filter(({ id }) => id !== 1)];
      return HttpResponse.json(match(1));
    }),
    http.put("/api/epg-matching", async ({ request }) => {
      await record(request);
      return HttpResponse.json(matching());
    }),
    http.post("/api/epg-matches/accept", async ({ request }) => {
      await record(request);
      return problem(409, { code: "COUNT_CHANGED", message: "Ahora son 2." });
    }),
  );
}
