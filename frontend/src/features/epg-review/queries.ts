// Which channels of guides channels are, in the server's own shapes, and the decisions about it.
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import type { components } from "../../api/schema.gen";
import { matchOf } from "../../guides/candidates/queries";
import { t } from "../../i18n";
import { changedLists } from "../../operations/changedLists";
import type { Operation } from "../../operations/queries";
import { listQuery, numberInAddress } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";

export type Match = components["schemas"]["EpgMatch"];
export type Matching = components["schemas"]["EpgMatching"];
export type Level = Match["level"];
export type Decision = components["schemas"]["GuideLink"];
export type Settings = components["schemas"]["MatchingSettings"];
export type Reason = components["schemas"]["EpgMatchReason"]["code"];
export type MatchCounts = components["schemas"]["EpgMatchCounts"];
type Verdict = NonNullable<Match["decision"]>;
type MatchPage = components["schemas"]["EpgMatchPage"];

/** In the order of the choice. */
export const levels: readonly Level[] = ["REVIEW", "AUTO", "NONE"];

/** The filter by decision of channels without one. */
export const undecided = "NONE";

/** Poll interval of a running run, in milliseconds. */
const pollInterval = 1_000;
/** Examples that a preview shows. */
const shownExamples = 3;

const keys = {
  all: ["epg-matches"] as const,
  lists: ["epg-matches", "list"] as const,
  previews: ["epg-matches", "list", "preview"] as const,
  counts: ["epg-matches", "counts"] as const,
  matching: ["epg-matches", "matching"] as const,
};

/** What an acceptance of many is about. */
export interface AcceptFilter {
  minScore: number;
  search?: string;
  clear?: true;
  guide?: number;
  /** All of these. */
  reason?: Reason[];
}

/** Those that wait: decided ones are left out. */
const waiting = { level: ["REVIEW", "AUTO"] as Level[], decided: false };

export const isUnfinished = ({ state }: Matching) => state !== "IDLE" && state !== "FAILED";

/** The query of the list: pending matches by default. */
export function matchesQuery(state: ListState) {
  const { level, guide, reason, channel, decision, minScore, maxScore, clear } = state.filters;
  return {
    ...listQuery(state),
    level: level ? ([level] as Level[]) : channel || decision ? undefined : (["REVIEW"] as Level[]),
    guide: numberInAddress(guide),
    channel: numberInAddress(channel),
    reason: reason ? (reason.split(",") as Reason[]) : undefined,
    minScore: numberInAddress(minScore),
    maxScore: numberInAddress(maxScore),
    clear: clear === "true" || undefined,
    decided: decision === undecided ? false : undefined,
    decision: decision && decision !== undecided ? [decision as Verdict] : undefined,
  };
}

export const matchQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...keys.lists, state],
      queryFn: ({ signal }) => call("get", "/epg-matches", { query: matchesQuery(state), signal }),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),

  preview: (filter: AcceptFilter) =>
    queryOptions({
      queryKey: [...keys.previews, filter],
      queryFn: ({ signal }) =>
        call("get", "/epg-matches", {
          query: { ...waiting, ...filter, _size: shownExamples, _sort: "score" },
          signal,
        }),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),

  counts: (filter: AcceptFilter) =>
    queryOptions({
      queryKey: [...keys.counts, filter],
      queryFn: ({ signal }) =>
        call("get", "/epg-matches/counts", { query: { ...waiting, ...filter }, signal }),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),

  matching: queryOptions({
    queryKey: keys.matching,
    queryFn: ({ signal }) => call("get", "/epg-matching", { signal }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isUnfinished(data) ? pollInterval : false),
  }),
};

const one = (client: QueryClient, id: number) => client.fetchQuery(matchOf(id));

/** Changes the rows of every list that is on the screen. */
function changeRows(client: QueryClient, change: (rows: readonly Match[]) => Match[], gone: number) {
  client.setQueriesData<MatchPage>(
    { queryKey: keys.lists },
    (page) => page && { ...page, content: change(page.content), totalElements: page.totalElements - gone },
  );
}

export function useRefreshMatches() {
  const client = useQueryClient();
  // Channels have other guides, and with them other programmes.
  return () =>
    Promise.all(changedLists("tv-channels").map((queryKey) => client.invalidateQueries({ queryKey })));
}

interface Decided {
  of: Match;
  decision: Decision;
}

/** Decides about a channel: it leaves the list. After a conflict the toast has the decision of the other user. */
export function useDecide(onFailure: (of: Match, problem: Problem) => void) {
  const client = useQueryClient();
  const refresh = useRefreshMatches();
  const undo = useUndo();
  const remove = ({ id }: Match) => {
    changeRows(client, (rows) => rows.filter((row) => row.id !== id), 1);
    // The rows behind it move up: without them the next page would skip as many as are gone.
    void refresh();
  };
  return useMutation<Match, Problem, Decided>({
    mutationFn: ({ of, decision }) =>
      call("put", `/tv-channels/${of.id}/guide-link`, { body: decision, ifVersion: of.version }),
    onSuccess: (decided, { of, decision }) => {
      remove(of);
      // Two guides may have the same id.
      const accepted = of.candidates.find(
        ({ guideId, xmlId }) => guideId === decision.guideId && xmlId === decision.xmlId,
      );
      const name = accepted?.name ?? "";
      toast.success(
        t(`epgReview.done.${decision.verdict as "ACCEPTED"}`, { title: of.title, name }),
        undefined,
        {
          label: t("epgReview.undo"),
          onClick: () => undo.mutate(decided),
        },
      );
    },
    onError: async (problem, { of }) => {
      onFailure(of, problem);
      const fresh = await one(client, of.id).catch(() => undefined);
      if (fresh === null) {
        remove(of);
        // Its card, which would say so, is gone.
        toast.failure(
          t("epgReview.notDecided", { title: of.title }),
          problem.code === "VERSION_CONFLICT" ? t("epgReview.gone") : problem.message,
        );
      }
      if (fresh) changeRows(client, (rows) => rows.map((row) => (row.id === of.id ? fresh : row)), 0);
    },
  });
}

/** Takes the decision that a match has back, as long as it is the last one. */
export function useUndo() {
  const refresh = useRefreshMatches();
  return useMutation<Match, Problem, Match>({
    mutationFn: ({ id, version }) =>
      call("post", "/epg-matches/undo", { body: { channelId: id }, ifVersion: version }),
    onSuccess: (_, { title }) => toast.success(t("epgReview.undone", { title })),
    onError: (problem, { title }) => toast.failure(t("epgReview.notUndone", { title }), problem.message),
    onSettled: refresh,
  });
}

export function useMatchNow() {
  const client = useQueryClient();
  return useMutation<Matching, Problem>({
    mutationFn: () => call("post", "/epg-matching/run"),
    onSuccess: (matching) => client.setQueryData(keys.matching, matching),
    onError: (problem) => toast.failure(t("epgReview.notMatched"), problem.message),
  });
}

export function useConfigure() {
  const client = useQueryClient();
  return useMutation<Matching, Problem, { settings: Settings; version: number }>({
    mutationFn: ({ settings, version }) =>
      call("put", "/epg-matching", { body: settings, ifVersion: version }),
    onSuccess: (matching) => {
      client.setQueryData(keys.matching, matching);
      toast.success(t("epgReview.settings.saved"));
    },
    // After a conflict the stored settings are loaded.
    onError: async ({ code }) => {
      if (code === "VERSION_CONFLICT") await client.invalidateQueries({ queryKey: keys.matching });
    },
  });
}

export function useAccept() {
  const client = useQueryClient();
  return useMutation<Operation, Problem, { filter: AcceptFilter; expectedCount: number }>({
    mutationFn: ({ filter, expectedCount }) =>
      call("post", "/epg-matches/accept", {
        body: {
          filter: {
            ...filter,
            reason: filter.reason?.join(","),
            level: waiting.level.join(","),
            decided: waiting.decided,
          },
          expectedCount,
        },
      }),
    // Where it is not that many any more, they are counted again.
    onError: () =>
      Promise.all([keys.previews, keys.counts].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
