// Mutations of saved views.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { toast } from "../toast";
import { type StoredSavedView, savedViews } from "./queries";

type SavedView = components["schemas"]["SavedView"];

const { queryKey } = savedViews;

/** The toast of a failure, also shown where the panel of views is closed by then. */
const reportFailure = (title: "notSaved" | "notDeleted" | "notChanged") => (problem: Problem) =>
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

/** Replaces an existing view with the current state, without a form. */
export const useUpdateView = () => useSaveView(reportFailure("notSaved"));

export function useDeleteView() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, StoredSavedView>({
    mutationFn: ({ id }) => call("delete", `/saved-views/${id}`),
    onError: reportFailure("notDeleted"),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

/** Makes a view the default of its list, or removes the default. */
export function useDefaultView() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, { id: number; isDefault: boolean }>({
    mutationFn: ({ id, isDefault }) =>
      isDefault ? call("put", `/saved-views/${id}/default`) : call("delete", `/saved-views/${id}/default`),
    onError: reportFailure("notChanged"),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
