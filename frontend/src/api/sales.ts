// What the ledger has under idempotency keys: whether an operation was done whose answer got lost.
import { call } from "./client";
import type { components } from "./schema.gen";

export type SaleUnderKey = components["schemas"]["SaleUnderKey"];

/** Keys of one call at most. */
const most = 100;

/** The caller's operations with credits under these keys; keys under which nothing was done are missing. */
export async function findSales(keys: readonly string[]): Promise<SaleUnderKey[]> {
  const calls: Promise<SaleUnderKey[]>[] = [];
  for (let first = 0; first < keys.length; first += most)
    calls.push(call("post", "/renewals/sales", { body: { keys: keys.slice(first, first + most) } }));
  return (await Promise.all(calls)).flat();
}
