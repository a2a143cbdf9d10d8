// What the server says that the operation in the form would do. Requested once typing pauses; current only while it is
// the answer to exactly what is typed, because nothing may be sent on another one.
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { Draft } from "../../forms/draft";
import { ruleAt, violationsOf } from "../../forms/rules";
import { type CreditDraft, type Operation, type Quote, quoteQuery } from "./credits";

export interface QuoteState {
  /** There is an amount to ask about. */
  isValid: boolean;
  /** `quote` answers exactly what is typed. */
  isCurrent: boolean;
  quote: Quote | undefined;
  error: Error | null;
  retry: () => void;
}

/** The pause in typing before the request, in milliseconds. */
const delay = 300;

export function useQuote(draft: Draft<CreditDraft>): QuoteState {
  const operationType = useSyncExternalStore(draft.subscribe, () => draft.get("operationType")) as Operation;
  const typed = useSyncExternalStore(draft.subscribe, () => draft.get("amount"));
  const rule = ruleAt(draft.rule, "amount");
  const amount =
    typeof typed === "number" && rule && violationsOf(rule, typed).length === 0 ? typed : undefined;
  const [settled] = useDebouncedValue(amount, delay);
  const targetUsername = draft.get("targetUsername") as string;
  const request = settled === undefined ? undefined : { operationType, amount: settled, targetUsername };
  const query = useQuery({ ...quoteQuery(request), placeholderData: keepPreviousData });
  const answers =
    amount !== undefined && query.data?.amount === amount && query.data.operationType === operationType;
  return {
    isValid: amount !== undefined,
    isCurrent:
      answers && settled === amount && query.isSuccess && !query.isFetching && !query.isPlaceholderData,
    quote: query.data,
    error: settled === amount ? query.error : null,
    retry: () => void query.refetch(),
  };
}
