// The part of the mock server that renewals need: customers, an agent's stock, and sales that are made once for one
// idempotency key. Refusals are defined by each test.
import { HttpResponse, http } from "msw";
import { forgetMemory } from "../api/openSales";
import type { Customer, Message, QuoteRequest } from "../features/renewals/queries";
import { problem } from "./backend";
import { sampleMovement } from "./credits";

export function sampleCustomer(username: string, change: Partial<Customer> = {}): Customer {
  return {
    username,
    fullName: `Persona ${username}`,
    email: `${username}@example.com`,
    phoneNumber: "+34 600 123 456",
    internationalNumber: { digits: "34600123456", assumed: false },
    language: null,
    status: "ACTIVE",
    credits: 1,
    expirationDate: "2026-11-25T23:59:59.999Z",
    expired: false,
    registeredBy: "ana",
    lastContact: null,
    snoozedUntil: null,
    ...change,
  };
}

export const sampleMessages: Message[] = [
  {
    id: 1,
    name: "Aviso de vencimiento",
    spanish: "Hola, {name}: {username} vence el {end}. ¿La renovamos {months}?",
    english: "Hello, {name}: {username} ends on {end}. Shall we renew it for {months}?",
  },
  {
    id: 2,
    name: "Último aviso",
    spanish: "{name}, es el último día.",
    english: "{name}, it is the last day.",
  },
];

export const renewals = {
  messages: sampleMessages,
  customers: [] as Customer[],
  /** Of the agent; null for admins. */
  stock: 20 as number | null,
  /** Sold, by idempotency key. */
  sold: new Map<string, { username: string; months: number }>(),
  /** What arrived, in order. */
  sent: [] as { key: string; username: string; months: number }[],
  /** The windows and searches of the lists that were requested. */
  listed: [] as string[],
  /** The filters that were evaluated for a quote. */
  matched: [] as Record<string, unknown>[],
};

export function resetRenewals(): void {
  forgetMemory();
  Object.assign(renewals, {
    messages: sampleMessages,
    customers: [],
    stock: 20,
    sold: new Map(),
    sent: [],
    listed: [],
    matched: [],
  });
}

const ends = "2027-01-25T23:59:59.999Z";

const movementFor = (username: string, months: number) =>
  sampleMovement(1, {
    targetUser: { username, fullName: username },
    amount: months,
    expirationAfter: ends,
  });

const shortOf = (stock: number) => ({
  code: "INSUFFICIENT_SALE_CREDITS",
  message: `No hay créditos para venta suficientes (saldo: ${stock}).`,
});

export const renewalHandlers = [
  http.get("/api/renewals/counts", () =>
    HttpResponse.json(
      ["EXPIRED", "TODAY", "DAYS_3", "DAYS_7", "DAYS_30"].map((window, index) => ({
        window,
        count: 1200 * index,
      })),
    ),
  ),
  http.get("/api/renewals/messages", () => HttpResponse.json(renewals.messages)),
  http.get("/api/renewals", ({ request }) => {
    const query = new URL(request.url).searchParams;
    renewals.listed.push(`${query.get("window")} ${query.get("search") ?? ""}`.trim());
    const content = renewals.customers;
    return HttpResponse.json({ content, page: 0, size: 25, totalPages: 1, totalElements: content.length });
  }),
  http.post("/api/renewals/quote", async ({ request }) => {
    const body = (await request.json()) as QuoteRequest;
    const { filter, months = 1, expectedCount } = body;
    const count = renewals.customers.length;
    if (filter) renewals.matched.push(filter);
    if (filter && expectedCount !== count)
      return problem(409, {
        code: "COUNT_CHANGED",
        message: `Ha cambiado el número de elementos que coinciden: ahora, ${count}.`,
        arguments: { count },
      });
    const customers = filter
      ? renewals.customers.map(({ username }) => ({ username, months: months ?? 1 }))
      : body.customers;
    let stock = renewals.stock;
    const lines = customers.map(({ username, months }) => {
      const known = renewals.customers.find((one) => one.username === username);
      const fullName = filter ? (known?.fullName ?? null) : null;
      const none = {
        username,
        fullName,
        months,
        expirationBefore: known?.expirationDate ?? null,
        expirationAfter: null,
        warnings: [],
      };
      if (stock !== null && stock < months) return { ...none, refusal: shortOf(stock) };
      if (stock !== null) stock -= months;
      const isStillExpired = known?.expired && months < 3;
      const warning = { code: "STILL_EXPIRED", message: "La suscripción seguirá vencida." };
      return {
        ...none,
        expirationAfter: ends,
        warnings: isStillExpired ? [warning] : [],
        refusal: null,
      };
    });
    return HttpResponse.json({ stockBefore: renewals.stock, stockAfter: stock, customers: lines });
  }),
  http.post("/api/renewals/sales", async ({ request }) => {
    const { keys } = (await request.json()) as { keys: string[] };
    if (keys.length > 100) return problem(422, { code: "VALIDATION_FAILED" });
    return HttpResponse.json(
      keys.flatMap((key) => {
        const sale = renewals.sold.get(key);
        return sale ? [{ key, movement: movementFor(sale.username, sale.months) }] : [];
      }),
    );
  }),
  http.post("/api/credits/add", async ({ request }) => {
    const key = request.headers.get("idempotency-key");
    // The credit dialog of users has its own part.
    if (!key || renewals.customers.length === 0) return undefined;
    const body = (await request.json()) as { targetUsername: string; amount: number };
    return sellOnce(key, body.targetUsername, body.amount);
  }),
];

/** Sells, as the server does: once for a key, and never what the stock does not cover. */
export function sellOnce(key: string, username: string, months: number) {
  renewals.sent.push({ key, username, months });
  if (!renewals.sold.has(key)) {
    if (renewals.stock !== null && renewals.stock < months) return problem(409, shortOf(renewals.stock));
    if (renewals.stock !== null) renewals.stock -= months;
    renewals.sold.set(key, { username, months });
  }
  return HttpResponse.json(movementFor(username, months), { status: 201 });
}
