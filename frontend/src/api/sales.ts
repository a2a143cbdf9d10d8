// What the ledger has under idempotency keys: whether an operation was done whose answer got lost.
import { call } from "./client";
import type { components } from "./schema.gen";

export type SaleUnderKey = components["schemas"]["SaleUnderKey"];

/** The caller's operations with credits under these keys; keys under which nothing was done are missing. */
export function findSales(keys: string[]): Promise<SaleUnderKey[]> {
  return call("post", "/renewals/sales", { body: { keys } });
}
