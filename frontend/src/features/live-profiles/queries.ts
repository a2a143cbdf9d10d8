// The requests of the page of profiles, and what it changes there.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";

export type Profile = components["schemas"]["LiveProfile"];
export type ProfileDraft = components["schemas"]["LiveProfileDraft"];

const profilesKey = ["live-profiles"] as const;

export const profileQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...profilesKey, "list", state],
      queryFn: ({ signal }) => call("get", "/live-profiles", { query: listQuery(state), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),
  /** As it is now: a form begins with it. */
  one: (id: number) =>
    queryOptions({
      queryKey: [...profilesKey, "one", id],
      queryFn: ({ signal }) => call("get", `/live-profiles/${id}`, { signal }),
      staleTime: 0,
    }),
  /** Subscribers by name: twenty of them. */
  subscribers: (search: string) =>
    queryOptions({
      queryKey: [...profilesKey, "subscribers", search],
      queryFn: ({ signal }) =>
        call("get", "/users", {
          query: { roleCode: "app", search: search || undefined, _sort: "+fullName", _size: 20 },
          signal,
        }),
      staleTime: freshness.lookups,
      placeholderData: keepPreviousData,
    }),
  /** Keys by name: twenty of them. */
  keys: (search: string) =>
    queryOptions({
      queryKey: [...profilesKey, "keys", search],
      queryFn: ({ signal }) =>
        call("get", "/integrator-keys", {
          query: { search: search || undefined, _sort: "+name", _size: 20 },
          signal,
        }),
      staleTime: freshness.lookups,
      placeholderData: keepPreviousData,
    }),
};

function useChange<Answer, Variables>(mutationFn: (variables: Variables) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation<Answer, Problem, Variables>({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: profilesKey }),
  });
}

export const useCreateProfile = () =>
  useChange((body: ProfileDraft) => call("post", "/live-profiles", { body }));

export const useSaveProfile = (id: number) =>
  useChange(({ draft, version }: { draft: ProfileDraft; version: number }) =>
    call("put", `/live-profiles/${id}`, { body: draft, ifVersion: version }),
  );

export const useRotateSecret = () =>
  useChange(({ id }: Profile) => call("post", `/live-profiles/${id}/rotate-secret`));

export const useRevokeProfile = () =>
  useChange(({ id }: Profile) => call("post", `/live-profiles/${id}/revoke`));

export const useDeleteProfile = () =>
  useChange(({ id, version }: Profile) => call("delete", `/live-profiles/${id}`, { ifVersion: version }));
