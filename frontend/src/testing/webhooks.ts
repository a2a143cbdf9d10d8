// The webhooks of the mock server: the tables «webhooks» and «deliveries», tests that arrive at the second look.
import { HttpResponse, http } from "msw";
import type { Delivery, Webhook } from "../features/webhooks/hooks";
import { backend, problem } from "./backend";

export function sampleWebhook(id: number, change: Partial<Webhook> = {}): Webhook {
  return {
    id,
    version: 1,
    name: "Facturación",
    url: "https://example.com/avisos",
    events: ["CREDITS_MOVED", "ITEM_CREATED"],
    active: true,
    createdDate: "2026-11-20T10:00:00Z",
    updatedDate: "2026-11-20T10:00:00Z",
    lastDelivery: null,
    pending: 0,
    pause: null,
    ...change,
  };
}

export function sampleDelivery(id: number, change: Partial<Delivery> = {}): Delivery {
  return {
    id,
    messageId: `msg_${id}`,
    eventType: "ITEM_CREATED",
    entity: "movies/42",
    data: { resource: "movies", id: 42 },
    occurredAt: "2026-11-20T10:15:00Z",
    status: "DELIVERED",
    attempts: 1,
    nextAttemptAt: null,
    lastAttemptAt: "2026-11-20T10:15:01Z",
    statusCode: 204,
    fault: null,
    durationMs: 1250,
    deliveredAt: "2026-11-20T10:15:02Z",
    resendOf: null,
    ...change,
  };
}

type Table = (typeof backend.tables)[string];

export function setWebhooks(...webhooks: Webhook[]): void {
  backend.tables.webhooks = structuredClone(webhooks) as unknown as Table;
}

export function setDeliveries(...deliveries: Delivery[]): void {
  backend.tables.deliveries = structuredClone(deliveries) as unknown as Table;
}

const webhooks = () => (backend.tables.webhooks ?? []) as unknown as Webhook[];
const deliveries = () => (backend.tables.deliveries ?? []) as unknown as Delivery[];
const missing = () => problem(404, { code: "NOT_FOUND", message: "No se encontró el webhook" });

function page<Row>(rows: readonly Row[], request: Request) {
  const query = new URL(request.url).searchParams;
  const [number, size] = [Number(query.get("_page")), Number(query.get("_size"))];
  return HttpResponse.json({
    content: rows.slice(number * size, (number + 1) * size),
    page: number,
    size,
    totalPages: Math.ceil(rows.length / size),
    totalElements: rows.length,
  });
}

export const webhookHandlers = [
  http.get("/api/webhooks", ({ request }) => page(webhooks(), request)),
  http.post("/api/webhooks", async ({ request }) => {
    const made = sampleWebhook(webhooks().length + 1, (await request.json()) as Partial<Webhook>);
    setWebhooks(...webhooks(), made);
    return HttpResponse.json({ ...made, secret: "whsec_UnSecreto" }, { status: 201 });
  }),
  http.get("/api/webhooks/:id", ({ params }) => {
    const found = webhooks().find(({ id }) => id === Number(params.id));
    return found ? HttpResponse.json(found) : missing();
  }),
  http.put("/api/webhooks/:id", async ({ params, request }) => {
    const found = webhooks().find(({ id }) => id === Number(params.id));
    if (!found) return missing();
    Object.assign(found, await request.json(), { version: found.version + 1 });
    return HttpResponse.json(found);
  }),
  http.delete("/api/webhooks/:id", ({ params }) => {
    setWebhooks(...webhooks().filter(({ id }) => id !== Number(params.id)));
    return new HttpResponse(null, { status: 204 });
  }),
  http.post("/api/webhooks/:id/rotate-secret", ({ params }) =>
    HttpResponse.json({ ...sampleWebhook(Number(params.id)), secret: "whsec_OtroSecreto" }),
  ),
  http.post("/api/webhooks/:id/resume", ({ params }) => {
    const found = webhooks().find(({ id }) => id === Number(params.id));
    if (!found) return missing();
    found.pause = null;
    return HttpResponse.json(found);
  }),
  http.post("/api/webhooks/:id/test", ({ params }) => {
    const waits = { status: "PENDING", attempts: 0, statusCode: null, durationMs: null } as const;
    const test = sampleDelivery(99, { eventType: "TEST", entity: `webhooks/${params.id}`, ...waits });
    setDeliveries(test, ...deliveries());
    return HttpResponse.json(test, { status: 202 });
  }),
  http.get("/api/webhooks/:id/deliveries", ({ request }) => {
    const status = new URL(request.url).searchParams.get("status");
    return page(
      deliveries().filter((one) => status === null || one.status === status),
      request,
    );
  }),
  http.get("/api/webhooks/:id/deliveries/:delivery", ({ params }) => {
    const found = deliveries().find(({ id }) => id === Number(params.delivery));
    if (!found) return missing();
    // The server delivers in the background.
    if (found.status === "PENDING") Object.assign(found, sampleDelivery(found.id), { eventType: "TEST" });
    return HttpResponse.json(found);
  }),
  http.post("/api/webhooks/:id/deliveries/:delivery/resend", ({ params }) => {
    const again = sampleDelivery(100, { status: "PENDING", attempts: 0, resendOf: Number(params.delivery) });
    setDeliveries(again, ...deliveries());
    return HttpResponse.json(again, { status: 202 });
  }),
];
