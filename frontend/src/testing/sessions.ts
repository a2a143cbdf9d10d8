// The part of the mock server that sessions need.
import { HttpResponse, http } from "msw";
import type { Session } from "../features/sessions/queries";

export function sampleSession(id: string, change: Partial<Session> = {}): Session {
  return {
    id,
    current: false,
    address: "192.0.2.1",
    device: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    createdDate: "2026-11-20T10:15:00Z",
    lastUsedDate: "2026-11-20T11:15:00Z",
    endsDate: "2026-11-21T10:15:00Z",
    ...change,
  };
}

export const sessions = { own: [] as Session[], ofUser: [] as Session[] };

export const sessionHandlers = [
  http.get("/api/auth/sessions", () => HttpResponse.json(sessions.own)),
  http.delete("/api/auth/sessions", () => {
    sessions.own = sessions.own.filter(({ current }) => current);
    return new HttpResponse(null, { status: 204 });
  }),
  http.delete("/api/auth/sessions/:id", ({ params }) => {
    sessions.own = sessions.own.filter(({ id }) => id !== params.id);
    return new HttpResponse(null, { status: 204 });
  }),
  http.get("/api/users/:username/sessions", () => HttpResponse.json(sessions.ofUser)),
  http.delete("/api/users/:username/sessions", () => {
    sessions.ofUser = [];
    return new HttpResponse(null, { status: 204 });
  }),
];
