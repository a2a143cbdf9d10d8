// The requests of the settings page, and what it changes there.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import { getItem, getList, type Save, type SavedOf, saveItem } from "../../api/resources";
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";

type Schemas = components["schemas"];

export type AppSettings = Schemas["AppSettings"];
export type StoredAppSettings = Schemas["StoredAppSettings"];

/** The lists of the page. */
export type EntryList = "background-images" | "alert-messages" | "renewal-messages";

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
      queryFn: ({ signal }) => getList(list, listQuery(state), signal),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  one: <L extends EntryList>(list: L, id: number) =>
    queryOptions({
      queryKey: [list, "one", id],
      queryFn: ({ signal }) => getItem(list, id, signal),
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

/** Adds or replaces; a replacement names the version that it was made from. */
export function useSaveEntry<L extends EntryList>(list: L) {
  const client = useQueryClient();
  return useMutation<SavedOf<L>, Problem, Save<L>>({
    mutationFn: (save) => saveItem(list, save),
    onSuccess: () => client.invalidateQueries({ queryKey: [list] }),
  });
}

export function useDeleteEntry(list: EntryList) {
  const client = useQueryClient();
  return useMutation<unknown, Problem, { id: number; version: number }>({
    mutationFn: ({ id, version }) => call("delete", `/${list}/${id}`, { ifVersion: version }),
    onSuccess: () => toast.success(t(`appSettings.${list}.deleted`)),
    onError: (problem) => {
      console.warn("delete failed", problem);
      toast.failure(t(`appSettings.${list}.notDeleted`), messageOf(problem));
    },
    // Also after a failure: the item may be deleted or changed already.
    onSettled: () => client.invalidateQueries({ queryKey: [list] }),
  });
}
