// All requests of the panel about moving credits: what an operation would do, and doing it.
import { queryOptions, skipToken, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Role } from "../../access/permissions";
import { call } from "../../api/client";
import type { ObjectRule } from "../../api/rule";
import { rules } from "../../api/rules.gen";
import { expecting } from "../../api/sales";
import type { components } from "../../api/schema.gen";
import { currentLanguage } from "../../i18n";

type Schemas = components["schemas"];

export type Operation = Schemas["OperationType"];
export type Quote = Schemas["QuoteAnswer"];

/** The operations for each role, the usual first. App credits are never deducted here. */
const operations: Partial<Record<Role, readonly Operation[]>> = {
  app: ["ADD_CREDITS"],
  agent: ["ADD_CREDITS_FOR_SALE", "DEDUCT_CREDITS_FOR_SALE"],
};

export function operationsFor(role: Role): readonly Operation[] {
  return operations[role] ?? [];
}

const paths = {
  ADD_CREDITS: "/credits/add",
  DEDUCT_CREDITS: "/credits/deduct",
  ADD_CREDITS_FOR_SALE: "/credits/add-for-sale",
  DEDUCT_CREDITS_FOR_SALE: "/credits/deduct-for-sale",
} as const satisfies Record<Operation, string>;

/** The form: what the server takes, and which operation it is. */
export type CreditDraft = Omit<Schemas["CreditRequest"], "expected"> & { operationType: Operation };

export function creditRule(role: Role): ObjectRule {
  const { required, ...rule } = role === "agent" ? rules.SaleCredits : rules.AppCredits;
  // The end that was confirmed is not typed.
  const { expected: _, ...properties } = rule.properties;
  return {
    ...rule,
    required: [...required, "operationType"],
    properties: { ...properties, operationType: { type: "string", enum: operationsFor(role) } },
  };
}

/** What an operation would do, by the rule that would do it. */
export function quoteQuery(request: Omit<CreditDraft, "reason"> | undefined) {
  return queryOptions({
    // Its warnings are sentences.
    queryKey: ["credits", "quote", request, currentLanguage()],
    queryFn: request ? ({ signal }) => call("post", "/credits/quote", { body: request, signal }) : skipToken,
    staleTime: 0,
    gcTime: 0,
  });
}

interface SentDraft {
  draft: CreditDraft;
  /** The end of the subscription that was confirmed; undefined where none was shown. */
  expectedEnd?: string | null | undefined;
  idempotencyKey: string;
}

export function useMoveCredits() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, expectedEnd, idempotencyKey }: SentDraft) => {
      const { operationType, ...request } = draft;
      const body = { ...request, ...expecting(expectedEnd) };
      return call("post", paths[operationType], { body, idempotencyKey });
    },
    // Also after a failure: an answer that got lost may have been a yes. Credits show in lists, histories and
    // dashboards; the catalogue is what they never touch.
    onSettled: () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "contents" }),
  });
}
