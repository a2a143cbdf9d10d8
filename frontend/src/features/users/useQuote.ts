// The server's quote of the operation in the form.
import { useSyncExternalStore } from "react";
import type { Draft } from "../../forms/draft";
import { ruleAt, violationsOf } from "../../forms/rules";
import { type Settled, useSettledQuery } from "../../forms/useSettledQuery";
import { type CreditDraft, type Operation, type Quote, quoteQuery } from "./credits";

export interface QuoteState extends Settled<Quote> {
  /** There is an amount to ask about. */
  isValid: boolean;
}

export function useQuote(draft: Draft<CreditDraft>): QuoteState {
  const operationType = useSyncExternalStore(draft.subscribe, () => draft.get("operationType")) as Operation;
  const amount = useSyncExternalStore(draft.subscribe, () => draft.get("amount"));
  const rule = ruleAt(draft.rule, "amount");
  const isValid = typeof amount === "number" && rule !== undefined && violationsOf(rule, amount).length === 0;
  const targetUsername = draft.get("targetUsername") as string;
  const request = isValid ? { operationType, amount, targetUsername } : undefined;
  return { ...useSettledQuery(request, quoteQuery), isValid };
}
