// What changes the saved views of lists.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { toast } from "../toast";
import { type StoredSavedView, savedViews } from "./queries";

type SavedView = components["schemas"]["SavedView"];

const { queryKey } = savedViews;

/** Said also where the panel of the views is closed by then. */
const sayFailure = (title: "notSaved" | "notDeleted" | "notChanged") => (problem: Problem) =>
  toast.failure(t(`savedViews.${title}`), messageOf(problem));

/** Saves a new view, or replaces the one of this id. */
export function useSaveView(onError?: (problem: Problem) => void) {
  const client = useQueryClient();
  return useMutation<StoredSavedView, Problem, { id?: number; view: SavedView }>({
    mutationFn: ({ id, view }) =>
      id === undefined
        ? call("post", "/saved-views", { body: view })
        : call("put", `/saved-views/${id}`, { body: view }),
    onError,
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

/** Saves into a view that is there, without a form. */
export const useUpdateView = () => useSaveView(sayFailure("notSaved"));

export function useDeleteView() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, StoredSavedView>({
    mutationFn: ({ id }) => call("delete", `/saved-views/${id}`),
    onError: sayFailure("notDeleted"),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

/** Makes a view the one that the menus open its list with, or no longer. */
export function useDefaultView() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, { id: number; isDefault: boolean }>({
    mutationFn: ({ id, isDefault }) =>
      isDefault ? call("put", `/saved-views/${id}/default`) : call("delete", `/saved-views/${id}/default`),
    onError: sayFailure("notChanged"),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
