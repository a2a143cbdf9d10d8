// The requests of the credit history, and the one thing it changes there.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { mayBeUsername } from "../../forms/username";
import { emptyPage, listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";

export type Movement = components["schemas"]["Movement"];
/** One operation, seen from one of its two accounts. */
export type Line = components["schemas"]["LedgerLine"];
export type Total = components["schemas"]["LedgerTotal"];
export type RequestedReversal = components["schemas"]["RequestedReversal"];
export type Named = components["schemas"]["Named"];

/** All that is known of movements; stale once credits moved. */
const creditsKey = ["credits"] as const;

/** What decides which operations there are; page and order do not. */
function narrowing({ search, filters }: Pick<ListState, "search" | "filters">) {
  return { ...filters, search: search || undefined };
}

/** Whether there may be operations: an incomplete name matches no user. */
export const isAnswered = ({ filters }: Pick<ListState, "filters">) =>
  mayBeUsername(filters.performedBy ?? "");

export const ledgerQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...creditsKey, "list", state],
      queryFn: async ({ signal }) =>
        isAnswered(state)
          ? call("get", "/credits/ledger", { query: listQuery(state), signal })
          : emptyPage(state),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  totals: (state: ListState) =>
    queryOptions({
      queryKey: [...creditsKey, "totals", narrowing(state)],
      queryFn: async ({ signal }) =>
        isAnswered(state) ? call("get", "/credits/ledger/totals", { query: narrowing(state), signal }) : [],
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),
};

/** How many requests are shown at first, and how many more each time. */
export const requestStep = 20;

export const requestQueries = {
  /** The newest requests, all or only the undecided ones. */
  newest: (status: "PENDING" | undefined, size: number) =>
    queryOptions({
      queryKey: [...creditsKey, "requests", status, size],
      queryFn: ({ signal }) =>
        call("get", "/credits/reversal-requests", {
          query: { _page: 0, _size: size, status },
          signal,
        }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),
};

interface Reversal {
  line: Line;
  reason: string;
  idempotencyKey: string;
}

/** Stale once credits moved: all but the catalogue, which they never touch. */
function useForgetCredits() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "contents" });
}

export function useReverse() {
  const forget = useForgetCredits();
  return useMutation<Movement, Problem, Reversal>({
    mutationFn: ({ line, reason, idempotencyKey }) =>
      call("post", `/credits/${line.id}/reverse`, {
        body: reason.trim() ? { reason: reason.trim() } : {},
        idempotencyKey,
      }),
    // Also after a failure: another user may have reversed it.
    onSettled: forget,
  });
}

/** Asks the admins for the reversal of a sale that the agent may not reverse itself. */
export function useAskForReversal() {
  const forget = useForgetCredits();
  return useMutation<RequestedReversal, Problem, Reversal>({
    mutationFn: ({ line, reason, idempotencyKey }) =>
      call("post", `/credits/${line.id}/reversal-requests`, {
        body: reason.trim() ? { reason: reason.trim() } : {},
        idempotencyKey,
      }),
    onSettled: forget,
  });
}

interface Decision {
  id: number;
  isApproved: boolean;
  note: string;
  idempotencyKey: string;
}

/** Calls `onDecided` before the lists are reloaded: afterwards the component that showed the request is unmounted. */
export function useDecide(onDecided: (isApproved: boolean) => void) {
  const forget = useForgetCredits();
  return useMutation<unknown, Problem, Decision>({
    mutationFn: ({ id, isApproved, note, idempotencyKey }) => {
      const body = note.trim() ? { reason: note.trim() } : {};
      return isApproved
        ? call("post", `/credits/reversal-requests/${id}/approve`, { body, idempotencyKey })
        : call("post", `/credits/reversal-requests/${id}/decline`, { body });
    },
    onSuccess: (_, { isApproved }) => onDecided(isApproved),
    onSettled: forget,
  });
}
