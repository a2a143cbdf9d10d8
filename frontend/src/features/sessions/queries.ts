// The requests of the panel about sessions, one's own and those of the users one manages.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import type { components } from "../../api/schema.gen";

export type Session = components["schemas"]["Session"];

const ownKey = ["sessions", "own"] as const;
const userKey = (username: string) => ["sessions", "of", username.toLowerCase()] as const;
const pathOf = (username: string) => `/users/${encodeURIComponent(username)}/sessions` as const;

export const sessionQueries = {
  own: () =>
    queryOptions({
      queryKey: ownKey,
      queryFn: ({ signal }) => call("get", "/auth/sessions", { signal }),
      staleTime: 0,
    }),
  of: (username: string) =>
    queryOptions({
      queryKey: userKey(username),
      queryFn: ({ signal }) => call("get", pathOf(username), { signal }),
      staleTime: 0,
    }),
};

export function useEndSession() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, Session>({
    mutationFn: ({ id }) => call("delete", `/auth/sessions/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ownKey }),
  });
}

export function useEndOtherSessions() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, void>({
    mutationFn: () => call("delete", "/auth/sessions"),
    onSettled: () => client.invalidateQueries({ queryKey: ownKey }),
  });
}

export function useEndUserSessions(username: string) {
  const client = useQueryClient();
  return useMutation<unknown, Problem, void>({
    mutationFn: () => call("delete", pathOf(username)),
    onSettled: () => client.invalidateQueries({ queryKey: userKey(username) }),
  });
}
