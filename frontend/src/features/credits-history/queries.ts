// What the credit history asks the server, and the one thing it changes there.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import type { ListState } from "../../ui/list/useListAddress";
import type { Page } from "../catalogue/contents";
import { listQuery } from "../catalogue/queries";
import { dashboardKey } from "../dashboards/queries";

export type Movement = components["schemas"]["Movement"];
export type Named = components["schemas"]["Named"];

/** All that is known of movements; stale once credits moved. */
export const creditsKey = ["credits"] as const;

export const movementQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...creditsKey, "list", state],
      queryFn: ({ signal }) => call<Page<Movement>>("get", "/credits", { query: listQuery(state), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  /** In which role somebody performs: agents pay out of their own stock, admins do not. */
  roleOf: (username: string) =>
    queryOptions({
      queryKey: [...creditsKey, "role", username],
      queryFn: async ({ signal }) => {
        const path = `/users/${encodeURIComponent(username)}`;
        return (await call<{ roleCode: string }>("get", path, { signal })).roleCode;
      },
      staleTime: freshness.lookups,
    }),
};

interface Reversal {
  movement: Movement;
  reason: string;
  idempotencyKey: string;
}

export function useReverse() {
  const client = useQueryClient();
  return useMutation<Movement, Problem, Reversal>({
    mutationFn: ({ movement, reason, idempotencyKey }) =>
      call("post", `/credits/${movement.id}/reverse`, {
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
