// References to a category or a guide, and existing items with the same name, number or address.
import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Kind } from "../../access/kinds";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import { getList, type Resource } from "../../api/resources";
import type { components } from "../../api/schema.gen";
import { loadFormTexts, t } from "../../i18n";
import { toast } from "../../ui/toast";
import { contentKeys, forgetLists } from "./queries";

/** Kinds that others refer to. */
export type Shared = "categories" | "tv-guides";
export type Usage = components["schemas"]["Usage"];

/** The first items that these filters find, to see whether there is another than the one that is edited. */
export const matchingQuery = <K extends Kind>(kind: K, filters: Record<string, string | number>) =>
  queryOptions({
    queryKey: [...contentKeys.lists(kind), "matching", filters],
    queryFn: ({ signal }) => getList(kind, { _page: 0, _size: 10, ...filters }, signal),
    staleTime: freshness.lists,
  });

/** What refers to it, if anything does. If that cannot be read, the server refuses to delete what is in use. */
export async function usageOf(client: QueryClient, kind: Shared, id: number): Promise<Usage | undefined> {
  try {
    const usage = await client.fetchQuery({
      queryKey: [...contentKeys.all(kind), "usage", id],
      queryFn: ({ signal }) => call("get", `/${kind}/${id}/usage`, { signal }),
      staleTime: 0,
    });
    if (usage.total === 0) return undefined;
    await loadFormTexts();
    return usage;
  } catch {
    return undefined;
  }
}

/** The toast of a deletion, with undo; `forget` reloads the lists that show the item. */
export function sayDeleted(resource: Resource, id: number, name: string, forget: () => Promise<void>) {
  toast.success(t("contents.deleted", { name }), undefined, {
    label: t("common.undo"),
    onClick: () =>
      void import("./trash/restoreDeleted").then(({ restoreDeleted }) =>
        restoreDeleted(resource, id, name, forget),
      ),
  });
}

export function useDeleteContent(kind: Kind, onDeleted: (id: number) => void) {
  const client = useQueryClient();
  return useMutation<unknown, Problem, { id: number; version: number; name: string }>({
    mutationFn: ({ id, version }) => call("delete", `/${kind}/${id}`, { ifVersion: version }),
    onSuccess: (_answer, { id, name }) => {
      sayDeleted(kind, id, name, () => forgetLists(client, kind));
      client.removeQueries({ queryKey: contentKeys.one(kind, id) });
      onDeleted(id);
    },
    onError: (problem, { name }) => {
      console.warn("delete failed", problem);
      toast.failure(t("contents.notDeleted", { name }), messageOf(problem));
    },
    // Also after a failure: the item may be deleted or changed already.
    onSettled: () => forgetLists(client, kind),
  });
}
