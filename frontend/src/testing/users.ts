// The mock server's users: their names, roles, and credits that move by the plainest
// arithmetic. Refusals are defined by each test.
import { HttpResponse, http } from "msw";
import type { CreditDraft, Quote } from "../features/users/credits";
import type { User } from "../features/users/user";
import { problem } from "./backend";

const dates = { createdDate: "2026-01-15T09:30:00Z", updatedDate: "2026-03-02T18:05:09Z" };

export function sampleUser(username: string, change: Partial<User> = {}): User {
  const roleCode = change.roleCode ?? "app";
  return {
    username,
    fullName: `Persona ${username}`,
    email: `${username}@example.com`,
    phoneNumber: "+34 600 123 456",
    internationalNumber: { digits: "34600123456", assumed: false },
    language: null,
    address: null,
    comment: null,
    roleCode,
    role: { code: roleCode, name: roleCode },
    status: "ACTIVE",
    credits: 0,
    saleCredits: 0,
    expirationDate: null,
    subscription: roleCode === "app" ? { state: change.expirationDate ? "CURRENT" : "NO_EXPIRATION" } : null,
    signIns: 3,
    registeredBy: "jefa",
    passwordChangedDate: null,
    passwordChangedBy: null,
    playback: roleCode === "app" ? { mayPlay: true, reason: "CURRENT" } : null,
    version: 1,
    ...dates,
    ...change,
  };
}

export const users = {
  all: [] as User[],
  /** What arrived with its headers, in order: an operation's key is one of them. */
  sent: [] as { path: string; key: string | null; version: string | null; body: Record<string, unknown> }[],
};

const find = (username: unknown) => users.all.find((one) => one.username === username);
const outdated = (current: User) =>
  problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current });
const missing = () => problem(404, { code: "NOT_FOUND", message: "Usuario no encontrado" });

async function keep(request: Request) {
  const body = (await request.json().catch(() => ({}))) as Record<string, unknown>;
  const { headers } = request;
  users.sent.push({
    path: `${request.method} ${new URL(request.url).pathname}`,
    key: headers.get("idempotency-key"),
    version: headers.get("if-match"),
    body,
  });
  return body;
}

export const userHandlers = [
  http.get("/api/roles", () =>
    HttpResponse.json(["app", "agent", "admin"].map((code) => ({ code, name: code }))),
  ),
  http.get("/api/users", ({ request }) => {
    const query = new URL(request.url).searchParams;
    const role = query.get("roleCode");
    const content = users.all.filter((one) => !role || one.role.code === role);
    return HttpResponse.json({
      content: content.slice(0, 10),
      page: 0,
      size: 10,
      totalPages: Math.ceil(content.length / 10),
      totalElements: content.length,
    });
  }),
  http.get("/api/users/:username", ({ params }) => {
    const user = find(params.username);
    return user ? HttpResponse.json(user) : missing();
  }),
  http.post("/api/users", async ({ request }) => {
    const { password: _password, ...draft } = await keep(request);
    const user = sampleUser(String(draft.username), draft as Partial<User>);
    users.all.push(user);
    return HttpResponse.json(user, { status: 201 });
  }),
  http.put("/api/users/:username", async ({ params, request }) => {
    const change = await keep(request);
    const user = find(params.username);
    if (!user) return missing();
    if (request.headers.get("if-match") !== `"${user.version}"`) return outdated(user);
    Object.assign(user, change, { version: user.version + 1 });
    return HttpResponse.json(user);
  }),
  http.patch("/api/users/:username/toggle-status", async ({ params, request }) => {
    await keep(request);
    const user = find(params.username);
    if (!user) return missing();
    if (request.headers.get("if-match") !== `"${user.version}"`) return outdated(user);
    user.status = user.status === "ACTIVE" ? "INACTIVE" : "ACTIVE";
    user.version += 1;
    return HttpResponse.json(user);
  }),
  http.post("/api/users/:username/password", async ({ params, request }) => {
    const { password } = await keep(request);
    const user = find(params.username);
    if (!user) return missing();
    Object.assign(user, { passwordChangedDate: dates.updatedDate, passwordChangedBy: "jefa" });
    return HttpResponse.json({ password: password ? null : "40718263" });
  }),
  http.delete("/api/users/:username", async ({ params, request }) => {
    await keep(request);
    users.all = users.all.filter((one) => one.username !== params.username);
    return new HttpResponse(null, { status: 204 });
  }),
  http.post("/api/credits/quote", async ({ request }) => {
    const draft = (await request.json()) as CreditDraft;
    const user = find(draft.targetUsername);
    return user ? HttpResponse.json(quoteOf(draft, user)) : missing();
  }),
  http.post("/api/credits/:operation", async ({ request }) => {
    const body = await keep(request);
    const user = find(body.targetUsername);
    if (!user) return missing();
    user.credits += Number(body.amount);
    return HttpResponse.json({ id: 1 }, { status: 201 });
  }),
];

export function quoteOf({ operationType, targetUsername, amount }: CreditDraft, user: User): Quote {
  const before = user.role.code === "agent" ? user.saleCredits : user.credits;
  return {
    operationType,
    targetUsername,
    amount,
    balanceBefore: before,
    balanceAfter: before + (operationType.startsWith("DEDUCT") ? -amount : amount),
    expirationBefore: user.expirationDate,
    startsSubscription: user.subscription?.state === "NOT_STARTED",
    expirationAfter: "2027-02-20T10:00:00Z",
    payer: null,
    warnings: [],
  };
}
