// Prevents duplicate sales: looks up operations whose response was lost, and sends what was confirmed.
import { call } from "./client";
import type { components } from "./schema.gen";

export type SaleUnderKey = components["schemas"]["SaleUnderKey"];

/** The most keys of one call. */
const most = 100;

/** The caller's credit operations by idempotency key; keys without an operation are missing. */
export async function findSales(keys: readonly string[]): Promise<SaleUnderKey[]> {
  const calls: Promise<SaleUnderKey[]>[] = [];
  for (let first = 0; first < keys.length; first += most)
    calls.push(call("post", "/renewals/sales", { body: { keys: keys.slice(first, first + most) } }));
  return (await Promise.all(calls)).flat();
}

/** The part of a sale's body by which the server refuses it if the expiration differs from the confirmed one. */
export function expecting(end: string | null | undefined) {
  return end === undefined ? {} : { expected: { expirationDate: end } };
}
