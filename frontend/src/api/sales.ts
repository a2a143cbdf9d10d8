// What keeps a sale from being made twice: whether an operation was done whose answer got lost, and what was confirmed.
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

/** The part of a sale's body that has it refused where the subscription ends at another time than was confirmed. */
export function expecting(end: string | null | undefined) {
  return end === undefined ? {} : { expected: { expirationDate: end } };
}
