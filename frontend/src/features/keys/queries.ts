// The requests of the page of keys, and what it changes there.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";

export type Key = components["schemas"]["IntegratorKey"];
export type KeyMade = components["schemas"]["NewIntegratorKey"];
export type KeyUse = components["schemas"]["IntegratorKeyUse"];
export type KeyDraft = components["schemas"]["NewKey"];

const keysKey = ["integratorKeys"] as const;

export const keyQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...keysKey, "list", state],
      queryFn: ({ signal }) => call("get", "/integrator-keys", { query: listQuery(state), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...keysKey, "one", id],
      queryFn: ({ signal }) => call("get", `/integrator-keys/${id}`, { signal }),
      // Calls are counted all the time.
      staleTime: 0,
    }),
};

export function useMakeKey() {
  const client = useQueryClient();
  return useMutation<KeyMade, Problem, KeyDraft>({
    mutationFn: (body) => call("post", "/integrator-keys", { body }),
    onSettled: () => client.invalidateQueries({ queryKey: keysKey }),
  });
}

export function useKeepKey() {
  const client = useQueryClient();
  return useMutation<Key, Problem, Key>({
    mutationFn: ({ id }) => call("post", `/integrator-keys/${id}/keep`),
    onSettled: () => client.invalidateQueries({ queryKey: keysKey }),
  });
}

export function useRevoke() {
  const client = useQueryClient();
  return useMutation<Key, Problem, Key>({
    mutationFn: ({ id }) => call("post", `/integrator-keys/${id}/revoke`),
    onSettled: () => client.invalidateQueries({ queryKey: keysKey }),
  });
}
