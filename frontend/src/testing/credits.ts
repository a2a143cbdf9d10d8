// The ledger of the stand-in server: the movements of the table «credits», newest first, and their reversal.
import { HttpResponse, http } from "msw";
import type { Movement } from "../features/credits-history/queries";
import { backend, problem } from "./backend";

export const lucia = { username: "lucia_diaz", fullName: "Lucía Díaz" };
export const pedro = { username: "pedro_gil", fullName: "Pedro Gil" };
export const boss = { username: "admin", fullName: "Jorge Molina" };

export function sampleMovement(id: number, change: Partial<Movement> = {}): Movement {
  return {
    id,
    operationId: id,
    operationDate: "2026-11-20T10:15:00Z",
    targetUser: pedro,
    performedByUser: boss,
    operationType: "ADD_CREDITS",
    creditType: "NORMAL",
    amount: 3,
    balanceBefore: 1,
    balanceAfter: 4,
    reason: null,
    expirationBefore: "2026-12-01T00:00:00Z",
    expirationAfter: "2027-03-01T00:00:00Z",
    reversesOperationId: null,
    reversed: false,
    imported: false,
    ...change,
  };
}

/** What Lucía sold to Pedro, as both of them have it. */
export const sampleSale: Movement[] = [
  sampleMovement(11, {
    operationId: 6,
    targetUser: lucia,
    performedByUser: lucia,
    operationType: "DEDUCT_CREDITS_FOR_SALE",
    creditType: "SALE",
    balanceBefore: 1200,
    balanceAfter: 1197,
    expirationBefore: null,
    expirationAfter: null,
  }),
  sampleMovement(10, { operationId: 6, performedByUser: lucia }),
];

export function setMovements(...movements: Movement[]): void {
  backend.tables.credits = structuredClone(movements) as unknown as (typeof backend.tables)[string];
}

const movements = () => (backend.tables.credits ?? []) as unknown as Movement[];

export const creditHandlers = [
  http.get("/api/credits", ({ request }) => {
    const query = new URL(request.url).searchParams;
    const page = Number(query.get("_page"));
    const size = Number(query.get("_size"));
    const search = (query.get("search") ?? "").toLowerCase();
    const found = movements()
      .filter(({ targetUser }) => [null, targetUser.username].includes(query.get("username")))
      .filter(({ targetUser }) => targetUser.fullName.toLowerCase().includes(search));
    return HttpResponse.json({
      content: found.slice(page * size, (page + 1) * size),
      page,
      size,
      totalPages: Math.ceil(found.length / size),
      totalElements: found.length,
    });
  }),
  http.post("/api/credits/:id/reverse", ({ params }) => {
    const movement = movements().find(({ id }) => id === Number(params.id));
    if (!movement || movement.reversed)
      return problem(409, { code: "CONFLICT", message: "Este movimiento ya se revirtió." });
    for (const side of movements()) side.reversed ||= side.operationId === movement.operationId;
    return HttpResponse.json(sampleMovement(99, { reversesOperationId: movement.operationId }), {
      status: 201,
    });
  }),
];
