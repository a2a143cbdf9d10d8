// The saved views of lists: one's own and those that are shared with one's role.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client";
import type { Problem } from "../api/problem";
import type { components } from "../api/schema.gen";

export type SavedView = components["schemas"]["SavedView"];
export type StoredSavedView = components["schemas"]["StoredSavedView"];

const key = ["saved-views"] as const;

export const savedViews = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => call("get", "/saved-views", { signal }),
});

/** Saves a new view, or replaces the one of this id. */
export function useSaveView() {
  const client = useQueryClient();
  return useMutation<StoredSavedView, Problem, { id?: number; view: SavedView }>({
    mutationFn: ({ id, view }) =>
      id === undefined
        ? call("post", "/saved-views", { body: view })
        : call("put", `/saved-views/${id}`, { body: view }),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

export function useDeleteView() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, StoredSavedView>({
    mutationFn: ({ id }) => call("delete", `/saved-views/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

/** Makes a view the one that the menus open its list with, or no longer. */
export function useDefaultView() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, { id: number; isDefault: boolean }>({
    mutationFn: ({ id, isDefault }) =>
      isDefault ? call("put", `/saved-views/${id}/default`) : call("delete", `/saved-views/${id}/default`),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}
