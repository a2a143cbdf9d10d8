// The queries and mutations of contents, and their cache keys. Screens use these instead of addresses. Requests of forms are in
// useSaveContent.ts, so that lists do not download them.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Page } from "../../api/page";
import { messageOf } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import { getItem, getList, listAhead } from "../../api/resources";
import { t } from "../../i18n";
import {
  forgetPages,
  isBehind,
  rowFieldsOf,
  shownBeside,
  stopReading,
  withRow,
} from "../../operations/changedLists";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";
import type { ListedKind, Row, Stored } from "./contents";

export const contentKeys = {
  all: (kind: ListedKind) => ["contents", kind] as const,
  lists: (kind: ListedKind) => ["contents", kind, "list"] as const,
  one: (kind: ListedKind, id: number) => ["contents", kind, "one", id] as const,
};

export const contentQueries = {
  list: <K extends ListedKind>(kind: K, state: ListState) =>
    queryOptions({
      queryKey: [...contentKeys.lists(kind), state],
      queryFn: ({ signal }) => getList(kind, listQuery(state), signal),
      initialData: () => listAhead(kind, listQuery(state)),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  one: <K extends ListedKind>(kind: K, id: number) =>
    queryOptions({
      queryKey: contentKeys.one(kind, id),
      queryFn: ({ signal }) => getItem(kind, id, signal),
      // What is about to be edited must be the newest there is.
      staleTime: 0,
    }),
};

/** Some kinds answer what was saved in an envelope, under a name of their own: `{success, message, sport}`. */
export function unwrapped<Item extends { id: number }>(answer: object): Item {
  if ("id" in answer) return answer as Item;
  return Object.values(answer).find((part) => typeof part === "object" && part !== null) as Item;
}

/** Optimistic; a refusal reverts it and shows the reason. */
export function useToggleContent<K extends ListedKind>(kind: K) {
  const client = useQueryClient();
  const lists = { queryKey: contentKeys.lists(kind) };
  type Change = { id: number; active: boolean; name: string; isUndo?: boolean };
  const put = (id: number, saved: object) =>
    client.setQueriesData<Page<Row<K>>>(lists, (page) =>
      withRow<Row<K>, Page<Row<K>>>(
        page,
        (row) => row.id === id,
        (row) => ({ ...row, ...rowFieldsOf(saved, row) }),
      ),
    );
  const toggle = useMutation({
    mutationFn: async ({ id, active }: Change) => {
      const path: `/${ListedKind}/${number}/status` = `/${kind}/${id}/status`;
      return unwrapped<Stored<K>>(await call("patch", path, { body: { active } }));
    },
    onMutate: async ({ id, active }) => {
      const stopped = await stopReading(client, lists.queryKey);
      put(id, { active });
      return { stopped };
    },
    onSuccess: (saved, { id, name, active, isUndo }) => {
      if (!active && !isUndo)
        toast.success(t("contents.deactivated", { name }), undefined, {
          label: t("common.undo"),
          onClick: () => toggle.mutate({ id, name, active: true, isUndo: true }),
        });
      const isRowBehind = client
        .getQueriesData<Page<Row<K>>>(lists)
        .some(([, page]) => page?.content.some((row) => row.id === id && isBehind(row, saved)));
      put(id, saved);
      if (isRowBehind) void client.invalidateQueries(lists);
      void client.invalidateQueries({ queryKey: contentKeys.one(kind, id) });
      forgetOthers(client, kind);
    },
    onError: (problem, { id, active, name }) => {
      console.warn("toggle failed", problem);
      put(id, { active: !active });
      toast.failure(
        active ? t("contents.notActivated", { name }) : t("contents.notDeactivated", { name }),
        messageOf(problem),
      );
    },
    onSettled: (_saved, _problem, _change, context) => forgetPages(client, lists.queryKey, context?.stopped),
  });
  return toggle;
}

export const trashKey = ["trash"] as const;

/** An item was changed, added or deleted: what shows it beside its own list is read again. */
export function forgetOthers(client: ReturnType<typeof useQueryClient>, kind: ListedKind) {
  for (const queryKey of shownBeside(kind)) void client.invalidateQueries({ queryKey });
}

export function forgetLists(client: ReturnType<typeof useQueryClient>, kind: ListedKind) {
  forgetOthers(client, kind);
  return client.invalidateQueries({ queryKey: contentKeys.lists(kind) });
}
