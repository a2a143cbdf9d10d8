// The part of the mock server that keys need.
import { HttpResponse, http } from "msw";
import type { Key, KeyDraft } from "../features/keys/queries";

export function sampleKey(id: number, change: Partial<Key> = {}): Key {
  return {
    id,
    name: `Clave ${id}`,
    hint: `ck_abcd${id}`,
    scopes: ["CATALOGUE_READ"],
    state: "ACTIVE",
    expiresDate: null,
    callsPerMinute: 600,
    createdBy: "admin",
    keptBy: null,
    needsReview: false,
    createdDate: "2026-11-20T10:15:00Z",
    revokedDate: null,
    lastUsedDate: null,
    calls: 0,
    refusedCalls: 0,
    ...change,
  };
}

export const keys = { all: [] as Key[] };

export const keyHandlers = [
  http.get("/api/integrator-keys", () =>
    HttpResponse.json({
      content: keys.all,
      page: 0,
      size: 10,
      totalPages: 1,
      totalElements: keys.all.length,
    }),
  ),
  http.post("/api/integrator-keys", async ({ request }) => {
    const made = sampleKey(keys.all.length + 1, (await request.json()) as KeyDraft);
    keys.all.unshift(made);
    return HttpResponse.json({ ...made, key: "ck_the-whole-key" }, { status: 201 });
  }),
  http.get("/api/integrator-keys/:id", ({ params }) => {
    const key = keys.all.find(({ id }) => id === Number(params.id));
    return HttpResponse.json({ ...key, days: [{ day: "2026-11-20", calls: 1234, refused: 2 }] });
  }),
  http.post("/api/integrator-keys/:id/keep", ({ params }) => {
    keys.all = keys.all.map((key) =>
      key.id === Number(params.id) ? { ...key, keptBy: "ana", needsReview: false } : key,
    );
    return HttpResponse.json(keys.all.find(({ id }) => id === Number(params.id)));
  }),
  http.post("/api/integrator-keys/:id/revoke", ({ params }) => {
    keys.all = keys.all.map((key) =>
      key.id === Number(params.id) ? { ...key, state: "REVOKED", revokedDate: key.createdDate } : key,
    );
    return HttpResponse.json(keys.all.find(({ id }) => id === Number(params.id)));
  }),
];
