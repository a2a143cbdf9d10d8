// The requests of the credit history, and the one thing it changes there.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import { dashboardKey, freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { currentLanguage } from "../../i18n";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";

export type Movement = components["schemas"]["Movement"];
/** One operation, seen from one of its two accounts. */
export type Line = components["schemas"]["LedgerLine"];
export type Total = components["schemas"]["LedgerTotal"];
export type Named = components["schemas"]["Named"];

/** All that is known of movements; stale once credits moved. */
export const creditsKey = ["credits"] as const;

/** What decides which operations there are; page and order do not. */
function narrowing({ search, filters }: Pick<ListState, "search" | "filters">) {
  return { ...filters, search: search || undefined };
}

export const ledgerQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...creditsKey, "list", state],
      queryFn: ({ signal }) => call("get", "/credits/ledger", { query: listQuery(state), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  totals: (state: ListState) =>
    queryOptions({
      queryKey: [...creditsKey, "totals", narrowing(state)],
      queryFn: ({ signal }) => call("get", "/credits/ledger/totals", { query: narrowing(state), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),
};

/** Where the file of all that fits is. A link can't send a header: it says its language itself. */
export function exportAddress({ search, filters }: ListState): string {
  const parameters = Object.entries({ search, ...filters, language: currentLanguage() });
  return `/api/credits/ledger/export?${new URLSearchParams(parameters.filter(([, value]) => value !== ""))}`;
}

interface Reversal {
  line: Line;
  reason: string;
  idempotencyKey: string;
}

export function useReverse() {
  const client = useQueryClient();
  return useMutation<Movement, Problem, Reversal>({
    mutationFn: ({ line, reason, idempotencyKey }) =>
      call("post", `/credits/${line.id}/reverse`, {
        body: reason.trim() ? { reason: reason.trim() } : {},
        idempotencyKey,
      }),
    // Also after a failure: what could not be reversed may have been, by somebody else. Balances are in the lists
    // of users too.
    onSettled: () =>
      Promise.all(
        [creditsKey, dashboardKey, ["users"]].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}
