// Credits that reversing an operation returns: to the account of its line, and to the other account where that one belongs to a
// user.
import type { Line, Named } from "./queries";

export interface Side {
  user: Named;
  /** Whether the reversal returns the credits to this user, or takes them. */
  effect: "returns" | "takes";
  creditType: "NORMAL" | "SALE";
  amount: number;
}

export function sidesOf({
  accountUser,
  counterparty,
  targetUser,
  amount,
  creditType,
  operationType,
}: Line): Side[] {
  const size = Math.abs(amount);
  const own: Side = {
    user: accountUser,
    effect: amount > 0 ? "takes" : "returns",
    creditType,
    amount: size,
  };
  if (!counterparty) return [own];
  // The operation decides whether the target has app credits or stock; the other account has stock.
  const isTarget = counterparty.username === targetUser.username;
  const ofTarget = operationType.endsWith("_FOR_SALE") ? "SALE" : "NORMAL";
  const other: Side = {
    user: counterparty,
    effect: amount > 0 ? "returns" : "takes",
    creditType: isTarget ? ofTarget : "SALE",
    amount: size,
  };
  return isTarget ? [other, own] : [own, other];
}
