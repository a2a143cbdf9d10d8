// Sales sent without a response yet, with seller and customer, stored for this tab: the next sale to the same customer,
// by the credit dialog or a renewal, first looks them up in the ledger.
import { session } from "../storage";
import type { components } from "./schema.gen";
import type { SentBody } from "./useIdempotencyKey";

type Schemas = components["schemas"];

/** An operation with credits as it was sent, without the end that was confirmed: the same again may expect another. */
export type SentCredits = Omit<Schemas["CreditRequest"], "expected"> & {
  operationType: Schemas["OperationType"];
};

export type SaleState = "waiting" | "sending" | "sold" | "refused" | "unknown";

/** One sale of a renewal. */
export interface Sale {
  username: string;
  fullName: string;
  months: number;
  /** The end of the subscription that was confirmed. */
  expectedEnd?: string | null;
  key: string;
  state: SaleState;
  /** When it was sent last, by this browser's clock. */
  sentAt?: number;
  /** When the subscription ends now, once it was sold or its end was found to be another. */
  expiration?: string | null;
  /** Refused because the end is another than was confirmed: sent again it would be refused again. */
  isOutdated?: boolean;
  /** Why it was refused, or what happened to the answer. */
  message?: string;
}

const batchKey = (caller: string) => `cartelera.renewal.${caller}`;
const unansweredKey = (caller: string) => `cartelera.unanswered.${caller}`;

/** The sales of a renewal some of whose outcomes are open. */
export function keptBatch(caller: string): Sale[] | undefined {
  return session.read(batchKey(caller));
}

/** Keeps a batch; one whose outcome is known is not kept. */
export function keepBatch(caller: string, sales: readonly Sale[]): void {
  if (sales.every(({ state }) => state === "sold" || state === "refused")) forgetBatch(caller);
  else session.write(batchKey(caller), sales);
}

export function forgetBatch(caller: string): void {
  session.remove(batchKey(caller));
}

/** Whether it is still to be sold. */
export function isLeft({ state, isOutdated }: Sale): boolean {
  return state !== "sold" && !isOutdated;
}

/** Whether it may have been sold all the same. */
export function isOpen({ state }: Sale): boolean {
  return state === "sending" || state === "unknown";
}

/** What the credit dialog sent last for each user and has no answer to; in memory where the browser stores nothing. */
const unanswered = new Map<string, Record<string, SentBody>>();

/** What a reload does: tests share the memory of a worker. */
export function forgetMemory(): void {
  unanswered.clear();
}

const unansweredBy = (caller: string) =>
  unanswered.get(caller) ?? session.read<Record<string, SentBody>>(unansweredKey(caller)) ?? {};

function keepAll(caller: string, sent: Record<string, SentBody>): void {
  unanswered.set(caller, sent);
  if (Object.keys(sent).length > 0) session.write(unansweredKey(caller), sent);
  else session.remove(unansweredKey(caller));
}

export function unansweredSale(caller: string, username: string): SentBody | undefined {
  return unansweredBy(caller)[username];
}

export function keepUnanswered(caller: string, username: string, sent: SentBody): void {
  keepAll(caller, { ...unansweredBy(caller), [username]: sent });
}

export function forgetUnanswered(caller: string, username: string): void {
  const { [username]: _known, ...others } = unansweredBy(caller);
  keepAll(caller, others);
}

/** All requests for this user without a response, of all dialogs. */
export function openSales(caller: string, username: string): SentBody[] {
  const renewal = keptBatch(caller)?.find((sale) => sale.username === username && isOpen(sale));
  const sent = unansweredSale(caller, username);
  return [...(sent ? [sent] : []), ...(renewal ? [{ key: renewal.key, body: bodyOf(renewal) }] : [])];
}

function bodyOf({ username, months }: Pick<Sale, "username" | "months">): string {
  const body: SentCredits = {
    targetUsername: username,
    operationType: "ADD_CREDITS",
    amount: months,
    reason: null,
  };
  return JSON.stringify(body);
}

/** Whether both are the same to the server: sent under one key, they are done once. */
export function isSameBody(one: string, other: string): boolean {
  const [first, second] = [one, other].map((body) => JSON.parse(body) as SentCredits);
  return (["targetUsername", "operationType", "amount", "reason"] as const).every(
    (name) => (first?.[name] ?? null) === (second?.[name] ?? null),
  );
}

/** Whether a renewal by so many months is what was sent. */
export function isRenewal(sent: SentBody, sale: Pick<Sale, "username" | "months">): boolean {
  return isSameBody(sent.body, bodyOf(sale));
}

/** Something was sold to this user under this key: a renewal that is kept has nothing left to sell to them. */
export function settleSale(caller: string, username: string, key: string, expiration?: string | null): void {
  forgetUnanswered(caller, username);
  const batch = keptBatch(caller);
  if (!batch?.some((sale) => sale.username === username && isLeft(sale))) return;
  keepBatch(
    caller,
    batch.flatMap((sale): Sale[] => {
      if (sale.username !== username || !isLeft(sale)) return [sale];
      return sale.key === key ? [{ ...sale, state: "sold", expiration, message: undefined }] : [];
    }),
  );
}
