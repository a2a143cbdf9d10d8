// How TV guides are fetched, in the server's own shapes, and the requests about it.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client";
import { messageOf, type Problem } from "../api/problem";
import { freshness } from "../api/queryClient";
import { uploadGuide } from "../api/resourceFiles";
import type { components } from "../api/schema.gen";
import { t } from "../i18n";
import { toast } from "../ui/toast";

export type GuideFetch = components["schemas"]["GuideFetch"];
export type GuideSettings = components["schemas"]["GuideSettings"];

/** Poll interval of a running fetch, in milliseconds. */
const pollInterval = 700;

export const isUnfinished = ({ state }: GuideFetch) => state === "WAITING" || state === "RUNNING";

export const guideFetches = queryOptions({
  queryKey: ["guide-fetches", "list"],
  queryFn: ({ signal }) => call("get", "/guide-fetches", { signal }),
  staleTime: freshness.counts,
  refetchInterval: ({ state: { data } }) => (data?.some(isUnfinished) ? pollInterval : false),
});

/** That of one guide: its own page shows no other. */
export const guideFetch = (guide: number) =>
  queryOptions({
    queryKey: ["guide-fetches", guide],
    queryFn: ({ signal }) => call("get", `/tv-guides/${guide}/fetching`, { signal }),
    staleTime: freshness.counts,
    refetchInterval: ({ state: { data } }) => (data && isUnfinished(data) ? pollInterval : false),
  });

export type GuideHealth = components["schemas"]["GuideHealth"];
export type HealthOfOne = components["schemas"]["GuideHealthOfOne"];

export const guideHealth = queryOptions({
  queryKey: ["guide-fetches", "health"],
  queryFn: ({ signal }) => call("get", "/guide-health", { signal }),
  staleTime: freshness.counts,
});

/** The number of channels with an undecided match. */
export const waitingForReview = queryOptions({
  queryKey: ["epg-matches", "waiting"],
  queryFn: async ({ signal }) => {
    const { levels } = await call("get", "/epg-matching", { signal });
    return levels.find(({ level }) => level === "REVIEW")?.count ?? 0;
  },
  staleTime: freshness.counts,
});

/** Reads a guide now: fetched, or out of a file. */
export function useRead({ guideId, title }: Pick<GuideFetch, "guideId" | "title">) {
  const client = useQueryClient();
  return useMutation<GuideFetch, Problem, { file?: File }>({
    mutationFn: ({ file }) =>
      file ? uploadGuide(guideId, file) : call("post", `/tv-guides/${guideId}/fetch`, {}),
    onError: (problem) => toast.failure(t("guideHealth.notRead", { title }), messageOf(problem)),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["guide-fetches"] }),
        client.invalidateQueries({ queryKey: ["schedule"] }),
      ]),
  });
}

export function useConfigure(guideId: number) {
  const client = useQueryClient();
  return useMutation<GuideFetch, Problem, { settings: GuideSettings; version: number }>({
    mutationFn: ({ settings, version }) =>
      call("put", `/tv-guides/${guideId}/fetching`, { body: settings, ifVersion: version }),
    onSuccess: () => toast.success(t("guideHealth.settings.saved")),
    onSettled: () => client.invalidateQueries({ queryKey: ["guide-fetches"] }),
  });
}
