// Sales that belong together: one for each customer, each with an idempotency key of its own that never changes. What
// has begun is kept for this tab until all of it is known, so that a reload in the middle can say what was sold.
import {
  forgetUnanswered,
  isLeft,
  isOpen,
  isRenewal,
  keepBatch,
  type Sale,
  type SentCredits,
  unansweredSale,
} from "../../api/openSales";
import { Problem } from "../../api/problem";
import { findSales, type SaleUnderKey } from "../../api/sales";
import type { SentBody } from "../../api/useIdempotencyKey";
import { t } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { sell } from "./queries";

/** For so long a sale without an answer may still arrive at the server, in milliseconds: longer than a proxy waits. */
const arriving = 2 * 60_000;

/** Whether the answer says that nothing was sold. Anything else may have been a yes whose answer got lost. */
function isRefusal(error: unknown): error is Problem {
  return (
    error instanceof Problem &&
    error.status >= 400 &&
    error.status < 500 &&
    ![401, 408].includes(error.status)
  );
}

interface Run {
  /** Receives all sales after each change. */
  onChange: (sales: Sale[]) => void;
  /** Whether to stop after the request in flight. */
  isStopped: () => boolean;
}

/**
 * Sells what is left, one after the other and in order, because each pays from the stock that those before it leave. A
 * refusal is of one customer alone; a call without an answer stops the run, for the next would not fare better.
 */
export async function sellAll(sales: readonly Sale[], { onChange, isStopped }: Run): Promise<Sale[]> {
  let current = sales.map((sale): Sale => {
    if (!isLeft(sale)) return sale;
    // What has no answer keeps that until it is sent again: a stop before leaves it open.
    return { ...sale, state: sale.state === "unknown" ? "unknown" : "waiting", message: undefined };
  });
  const put = (key: string, change: Partial<Sale>) => {
    current = current.map((sale) => (sale.key === key ? { ...sale, ...change } : sale));
    onChange(current);
  };
  onChange(current);
  for (const sale of current.filter(isLeft)) {
    if (isStopped()) break;
    const { key } = sale;
    put(key, { state: "sending", sentAt: Date.now() });
    try {
      const movement = await sell(sale);
      put(key, { state: "sold", expiration: movement.expirationAfter });
    } catch (error) {
      if (isRefusal(error)) {
        put(key, {
          state: "refused",
          message: error.violations[0]?.message ?? error.message,
          ...(error.code === "EXPIRATION_CHANGED" && {
            isOutdated: true,
            expiration: error.arguments.expirationDate as string | null | undefined,
          }),
        });
        continue;
      }
      put(key, { state: "unknown", message: error instanceof Problem ? error.message : undefined });
      break;
    }
  }
  return current;
}

/**
 * The batch as the ledger has it, with what the credit dialog sent to its customers and has no answer to: what is not there
 * was not sold, unless it was sent a moment ago.
 */
export async function checkedBatch(caller: string, sales: readonly Sale[]): Promise<Sale[]> {
  const keys = new Set<string>();
  for (const { key, username } of sales.filter(isLeft)) {
    keys.add(key);
    const sent = unansweredSale(caller, username);
    if (sent) keys.add(sent.key);
  }
  const found = await findSales([...keys]);
  return sales.map((sale) =>
    isLeft(sale) ? withSent(asInLedger(sale, found), unansweredSale(caller, sale.username), found) : sale,
  );
}

/** Keeps a batch that was checked; what the credit dialog sent is a part of it now. */
export function keepChecked(caller: string, checked: readonly Sale[]): void {
  keepBatch(caller, checked);
  for (const { username, key } of checked)
    if (unansweredSale(caller, username)?.key === key) forgetUnanswered(caller, username);
}

function withSent(sale: Sale, sent: SentBody | undefined, found: readonly SaleUnderKey[]): Sale {
  if (!sent || !isLeft(sale)) return sale;
  const done = found.find(({ key }) => key === sent.key);
  if (!done) {
    // The same again goes under the same key: the server does it once. When it was sent is not known.
    return isRenewal(sent, sale) ? { ...sale, key: sent.key, state: "unknown", sentAt: Date.now() } : sale;
  }
  const { amount: count } = JSON.parse(sent.body) as SentCredits;
  return {
    ...sale,
    key: sent.key,
    months: count,
    state: "sold",
    expiration: done.movement.expirationAfter,
    message: t("renewals.soldBefore", { count, number: formatNumber(count) }),
  };
}

function asInLedger(sale: Sale, found: readonly SaleUnderKey[]): Sale {
  const movement = found.find(({ key }) => key === sale.key)?.movement;
  if (movement) return { ...sale, state: "sold", expiration: movement.expirationAfter, message: undefined };
  if (sale.state === "refused") return sale;
  return { ...sale, state: mayArrive(sale) ? "unknown" : "waiting", message: undefined };
}

function mayArrive(sale: Sale): boolean {
  const age = Date.now() - (sale.sentAt ?? 0);
  return isOpen(sale) && age >= 0 && age < arriving;
}
