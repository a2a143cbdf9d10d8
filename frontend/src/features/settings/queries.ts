// What the settings page asks the server, and what it changes there.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, request } from "../../api/client";
import type { Page } from "../../api/page";
import { messageOf, type Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";

type Schemas = components["schemas"];

export type AppSettings = Schemas["AppSettings"];
export type StoredAppSettings = Schemas["StoredAppSettings"];

/** The lists of the page: what is written of each, and what is kept. */
export interface Entries {
  "background-images": { draft: Schemas["BackgroundImage"]; stored: Schemas["StoredBackgroundImage"] };
  "alert-messages": { draft: Schemas["AlertMessage"]; stored: Schemas["StoredAlertMessage"] };
}
export type EntryList = keyof Entries;

const settingsKey = ["app-settings"] as const;
const listKey = (list: EntryList) => [list, "list"] as const;

export const settingsQueries = {
  settings: queryOptions({
    queryKey: settingsKey,
    queryFn: ({ signal }) => call("get", "/app-settings", { signal }),
    staleTime: freshness.lists,
  }),

  list: <L extends EntryList>(list: L, state: ListState) =>
    queryOptions({
      queryKey: [...listKey(list), state],
      queryFn: ({ signal }) =>
        request<Page<Entries[L]["stored"]>>("get", `/${list}`, { query: listQuery(state), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  one: <L extends EntryList>(list: L, id: number) =>
    queryOptions({
      queryKey: [list, "one", id],
      queryFn: ({ signal }) => request<Entries[L]["stored"]>("get", `/${list}/${id}`, { signal }),
      // What is about to be edited must be the newest there is.
      staleTime: 0,
    }),
};

export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation<StoredAppSettings, Problem, { settings: AppSettings; version: number }>({
    mutationFn: ({ settings, version }) =>
      call("put", "/app-settings", { body: settings, ifVersion: version }),
    onSuccess: (saved) => client.setQueryData(settingsKey, saved),
  });
}

interface SaveEntry<L extends EntryList> {
  draft: Entries[L]["draft"];
  id?: number;
  version?: number;
  idempotencyKey?: string;
}

/** Adds or replaces; a replacement names the version that it was made from. */
export function useSaveEntry<L extends EntryList>(list: L) {
  const client = useQueryClient();
  return useMutation<Entries[L]["stored"], Problem, SaveEntry<L>>({
    mutationFn: ({ draft, id, version, idempotencyKey }) =>
      id === undefined
        ? request("post", `/${list}`, { body: draft, idempotencyKey })
        : request("put", `/${list}/${id}`, { body: draft, ifVersion: version }),
    onSuccess: () => client.invalidateQueries({ queryKey: [list] }),
  });
}

export function useDeleteEntry(list: EntryList) {
  const client = useQueryClient();
  return useMutation<unknown, Problem, { id: number; version: number }>({
    mutationFn: ({ id, version }) => request("delete", `/${list}/${id}`, { ifVersion: version }),
    onSuccess: () => toast.success(t(`appSettings.${list}.deleted`)),
    onError: (problem) => {
      console.warn("delete failed", problem);
      toast.failure(t(`appSettings.${list}.notDeleted`), messageOf(problem));
    },
    // Also after a failure: what could not be deleted may be gone, or changed, already.
    onSettled: () => client.invalidateQueries({ queryKey: [list] }),
  });
}
