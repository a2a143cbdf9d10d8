// The ledger of the mock server: the movements of the table «credits», newest first, and their reversal.
import { HttpResponse, http } from "msw";
import type { Line, Movement, Total } from "../features/credits-history/queries";
import { backend, pageOf, problem } from "./backend";

export const lucia = { username: "lucia_diaz", fullName: "Lucía Díaz" };
const pedro = { username: "pedro_gil", fullName: "Pedro Gil" };
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

export const ledger = {
  /** Until when agents reverse what they sold; null where the customer is not theirs any more. */
  reversibleUntil: "2020-01-01T11:15:00Z" as string | null,
};

export function setMovements(...movements: Movement[]): void {
  backend.tables.credits = structuredClone(movements) as unknown as (typeof backend.tables)[string];
}

const movements = () => (backend.tables.credits ?? []) as unknown as Movement[];

/** One line for each operation, seen from whom the query names, otherwise from its target. */
function linesOf(query: URLSearchParams): Line[] {
  const of = query.get("username");
  const search = (query.get("search") ?? "").toLowerCase();
  return [...new Set(movements().map(({ operationId }) => operationId))].flatMap((operationId) => {
    const sides = movements().filter((side) => side.operationId === operationId);
    // The payer's side comes first where there are two.
    const target = sides.at(-1);
    const own = of ? sides.find((side) => side.targetUser.username === of) : target;
    if (!own || !target) return [];
    const other = sides.find((side) => side !== own);
    const line = lineOf(own, target, other);
    const names = [line.accountUser, line.performedByUser, line.counterparty];
    return names.some((one) => one?.fullName.toLowerCase().includes(search)) ? [line] : [];
  });
}

function lineOf(own: Movement, target: Movement, other?: Movement): Line {
  const { balanceBefore: _before, targetUser: accountUser, amount, ...rest } = own;
  return {
    ...rest,
    operationType: target.operationType,
    targetUser: target.targetUser,
    accountUser,
    counterparty: other?.targetUser ?? null,
    reversibleUntil: isOwnSale(target) ? ledger.reversibleUntil : null,
    amount: own.operationType.startsWith("ADD_") ? amount : -amount,
    expirationBefore: target.expirationBefore,
    expirationAfter: target.expirationAfter,
  };
}

function isOwnSale({ operationType, performedByUser, imported }: Movement): boolean {
  const { user } = backend;
  return (
    user?.roleCode === "agent" &&
    operationType === "ADD_CREDITS" &&
    !imported &&
    performedByUser.username === user.username
  );
}

export const creditHandlers = [
  http.get("/api/credits/reversal-requests", () =>
    HttpResponse.json({ content: [], page: 0, size: 20, totalPages: 0, totalElements: 0 }),
  ),
  http.get("/api/credits/ledger/totals", ({ request }) => {
    const totals: Total[] = [];
    for (const { operationType, creditType, amount } of linesOf(new URL(request.url).searchParams)) {
      const isSame = (one: Total) => one.operationType === operationType && one.creditType === creditType;
      const total = totals.find(isSame) ?? {
        operationType,
        creditType,
        operations: 0,
        added: 0,
        deducted: 0,
      };
      if (!totals.includes(total)) totals.push(total);
      total.operations += 1;
      if (amount > 0) total.added += amount;
      else total.deducted -= amount;
    }
    return HttpResponse.json(totals);
  }),
  http.get("/api/credits/ledger", ({ request }) => {
    const query = new URL(request.url).searchParams;
    return pageOf(linesOf(query), query);
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
