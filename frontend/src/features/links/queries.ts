// Links of channels and stations, in the server's own shapes, and the requests about them.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { formatMoment } from "../../i18n/formats";
import { changedLists } from "../../operations/changedLists";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";

export type Link = components["schemas"]["StreamLink"];
type Requested = components["schemas"]["RequestedLink"];
export type LinkSummary = components["schemas"]["LinkSummary"];
export type ProbeDay = components["schemas"]["ProbesOfDay"];

/** How often links are read again, in milliseconds: they change by themselves. */
export const linkInterval = 15_000;

const key = ["links"] as const;

export const linkQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...key, "list", state],
      queryFn: ({ signal }) => call("get", "/links", { query: listQuery(state), signal }),
      staleTime: 0,
      refetchInterval: linkInterval,
      placeholderData: keepPreviousData,
    }),

  summary: queryOptions({
    queryKey: [...key, "summary"],
    queryFn: ({ signal }) => call("get", "/links/summary", { signal }),
    staleTime: 0,
    refetchInterval: linkInterval,
  }),

  changes: (id: number) =>
    queryOptions({
      queryKey: [...key, "changes", id],
      queryFn: ({ signal }) => call("get", `/links/${id}/changes`, { signal }),
      staleTime: 0,
    }),

  days: (id: number) =>
    queryOptions({
      queryKey: [...key, "days", id],
      queryFn: ({ signal }) => call("get", `/links/${id}/days`, { signal }),
      staleTime: linkInterval,
    }),
};

/** How many of a hundred probes were good, rounded down; `undefined` without any. */
export function shareOf(days: readonly Pick<ProbeDay, "good" | "failed">[]): number | undefined {
  const good = days.reduce((sum, day) => sum + day.good, 0);
  const all = days.reduce((sum, day) => sum + day.failed, good);
  return all === 0 ? undefined : Math.floor((100 * good) / all);
}

/** Keeps an item off that the service has switched off, also where its link plays again; whatever version it has by then. */
export function useLeaveOff() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, Link>({
    mutationFn: ({ owner, itemId }) =>
      call("patch", `/${owner as "tv-channels"}/${itemId}/status`, { body: { active: false } }),
    onSuccess: (_, { title }) => toast.success(t("probes.leftOff", { title })),
    onError: (problem, { title }) => toast.failure(t("probes.notLeftOff", { title }), messageOf(problem)),
    onSettled: (_, _problem, { owner }) =>
      Promise.all([key, ...changedLists(owner)].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** Requests a probe of a link. Where its host is paused, the toast says until when. */
export function useProbe() {
  const client = useQueryClient();
  return useMutation<Requested, Problem, Link>({
    mutationFn: ({ id }) => call("post", `/links/${id}/probe`, {}),
    onSuccess: ({ title, delayed, nextProbe }) =>
      toast.success(
        delayed && nextProbe !== null
          ? t("probes.requestedFor", { title, date: formatMoment(nextProbe) })
          : t("probes.requested", { title }),
      ),
    onError: (problem, { title }) => toast.failure(t("probes.notRequested", { title }), messageOf(problem)),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}
