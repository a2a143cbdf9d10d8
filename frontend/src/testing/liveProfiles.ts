// The part of the mock server that live profiles need.
import { HttpResponse, http } from "msw";
import type { Profile, ProfileDraft } from "../features/live-profiles/queries";
import { problem } from "./backend";

export function sampleProfile(id: number, change: Partial<Profile> = {}): Profile {
  return {
    id,
    version: 1,
    name: `Perfil ${id}`,
    username: "ana",
    keyId: null,
    keyName: null,
    categories: [],
    adultContent: false,
    onlyPlaying: false,
    order: "NUMBER",
    numbering: "OWN",
    guideDays: 7,
    callsPerMinute: 30,
    hint: `pl_abcd${id}`,
    state: "ACTIVE",
    updatedBy: "admin",
    createdDate: "2026-11-20T10:15:00Z",
    updatedDate: "2026-11-20T10:15:00Z",
    revokedDate: null,
    lastUsedDate: null,
    calls: 0,
    ...change,
  };
}

/** Where players reach the service, which is not where this panel was opened. */
export const addressOf = (secret: string) => `https://tv.example/api/live/${secret}/playlist.m3u`;

export const liveProfiles = { all: [] as Profile[] };

const one = (id: unknown) => liveProfiles.all.find((profile) => profile.id === Number(id));

function change(id: unknown, changes: Partial<Profile>) {
  liveProfiles.all = liveProfiles.all.map((profile) =>
    profile.id === Number(id) ? { ...profile, ...changes, version: profile.version + 1 } : profile,
  );
  return one(id);
}

export const liveProfileHandlers = [
  http.get("/api/live-profiles", () =>
    HttpResponse.json({
      content: liveProfiles.all,
      page: 0,
      size: 10,
      totalPages: 1,
      totalElements: liveProfiles.all.length,
    }),
  ),
  http.post("/api/live-profiles", async ({ request }) => {
    const made = sampleProfile(liveProfiles.all.length + 1, (await request.json()) as ProfileDraft);
    liveProfiles.all.unshift(made);
    return HttpResponse.json(
      { ...made, secret: "pl_the-secret", address: addressOf("pl_the-secret") },
      { status: 201 },
    );
  }),
  http.get("/api/live-profiles/:id", ({ params }) => HttpResponse.json(one(params.id))),
  http.put("/api/live-profiles/:id", async ({ params, request }) => {
    const current = one(params.id);
    if (request.headers.get("if-match") !== `"${current?.version}"`)
      return problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo ha cambiado", current });
    return HttpResponse.json(change(params.id, (await request.json()) as ProfileDraft));
  }),
  http.delete("/api/live-profiles/:id", ({ params }) => {
    liveProfiles.all = liveProfiles.all.filter((profile) => profile.id !== Number(params.id));
    return new HttpResponse(null, { status: 204 });
  }),
  http.post("/api/live-profiles/:id/rotate-secret", ({ params }) =>
    HttpResponse.json({
      ...change(params.id, { state: "ACTIVE" }),
      secret: "pl_another",
      address: addressOf("pl_another"),
    }),
  ),
  http.post("/api/live-profiles/:id/revoke", ({ params }) =>
    HttpResponse.json(change(params.id, { state: "REVOKED", revokedDate: "2026-11-20T10:15:00Z" })),
  ),
];
