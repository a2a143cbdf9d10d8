// What reversing an operation gives back to whom. An operation has one side, or two where an agent paid or was paid:
// the history has a movement for each, with the same operationId.
import { isAddition } from "./movements";
import type { Movement, Named } from "./queries";

export interface Side {
  person: Named;
  /** Whether the reversal returns the credits to this person, or takes them. */
  effect: "returns" | "takes";
  creditType: "NORMAL" | "SALE";
  amount: number;
}

/** What becomes of the balance that a movement moved. */
export function sideOf(movement: Movement): Side {
  return {
    person: movement.targetUser,
    effect: isAddition(movement) ? "takes" : "returns",
    creditType: movement.creditType,
    amount: movement.amount,
  };
}

/** The other movement of the same operation, where it is among these. */
export function counterpartOf(movement: Movement, among: readonly Movement[]): Movement | undefined {
  return among.find((other) => other.operationId === movement.operationId && other.id !== movement.id);
}

/** The side of an agent who performed an operation for somebody else: their stock paid for it, or was paid. */
export function payersSide(movement: Movement): Side {
  return {
    person: movement.performedByUser,
    effect: isAddition(movement) ? "returns" : "takes",
    creditType: "SALE",
    amount: movement.amount,
  };
}

export function isOnesOwn({ targetUser, performedByUser }: Movement): boolean {
  return targetUser.username === performedByUser.username;
}
