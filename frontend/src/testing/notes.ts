// The part of the mock server that a user's page, contacts and the bell need.
import { HttpResponse, http } from "msw";
import type { components } from "../api/schema.gen";

type Schemas = components["schemas"];

const empty = { content: [], page: 0, size: 5, totalPages: 0, totalElements: 0 };

const initial = () => ({
  notes: [] as Schemas["UserNote"][],
  snooze: { until: null, author: null, createdDate: null } as Schemas["Snooze"],
  visits: [] as Schemas["UserVisit"][],
  devices: [] as Schemas["SeenDevice"][],
  reports: [] as Schemas["UserReport"][],
  notices: [] as Schemas["Notice"][],
  /** What arrived: whose, and the body. */
  sent: [] as { username: string; body: unknown }[],
  seen: [] as unknown[],
});

export const activity = initial();

export function resetActivity(): void {
  Object.assign(activity, initial());
}

const page = <Row>(content: Row[]) => ({ ...empty, content, totalPages: 1, totalElements: content.length });

export const noteHandlers = [
  http.get("/api/users/:username/notes", () => HttpResponse.json(page(activity.notes))),
  http.post("/api/users/:username/notes", async ({ params, request }) => {
    const body = (await request.json()) as Schemas["NewNote"];
    activity.sent.push({ username: String(params.username), body });
    const note: Schemas["UserNote"] = {
      id: activity.notes.length + 1,
      kind: body.kind,
      text: body.text ?? null,
      contactedOn: body.kind === "CONTACT" ? (body.contactedOn ?? "2026-11-20") : null,
      author: "ana",
      createdDate: "2026-11-20T10:00:00Z",
      mayDelete: true,
    };
    activity.notes.unshift(note);
    return HttpResponse.json(note, { status: 201 });
  }),
  http.delete("/api/users/:username/notes/:id", ({ params }) => {
    activity.notes = activity.notes.filter(({ id }) => id !== Number(params.id));
    return new HttpResponse(null, { status: 204 });
  }),
  http.get("/api/users/:username/snooze", () => HttpResponse.json(activity.snooze)),
  http.delete("/api/users/:username/snooze", () => {
    activity.snooze = { until: null, author: null, createdDate: null };
    return new HttpResponse(null, { status: 204 });
  }),
  http.get("/api/users/:username/visits", () => HttpResponse.json(page(activity.visits))),
  http.get("/api/users/:username/devices", () => HttpResponse.json(activity.devices)),
  http.get("/api/users/:username/reports", () => HttpResponse.json(page(activity.reports))),
  http.get("/api/notices", () => HttpResponse.json(activity.notices)),
  http.put("/api/notices/seen", async ({ request }) => {
    activity.seen.push(await request.json());
    return new HttpResponse(null, { status: 204 });
  }),
];
