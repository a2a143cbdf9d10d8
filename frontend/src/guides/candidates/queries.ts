// Candidates of a channel or of an entry, compared when they are requested, and the decision for one of them.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { changedLists } from "../../operations/changedLists";
import { toast } from "../../ui/toast";
import type { Candidate } from "./CandidateRow";

/** A channel, or an entry that a run of a playlist has read. */
export type CandidatesOf = { channel: number } | { run: number; entry: number };

/** `guide` is empty for all of them. */
export const candidatesQuery = (of: CandidatesOf, guide: string) =>
  queryOptions({
    queryKey: ["epg-matches", "candidates", of, guide],
    queryFn: ({ signal }) =>
      call("get", "/epg-matches/candidates", {
        query: { ...of, guide: guide ? Number(guide) : undefined },
        signal,
      }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });

/** Null where the channel is no longer in the review: it was linked by its form, deactivated or deleted. */
export const matchOf = (channel: number) =>
  queryOptions({
    queryKey: ["epg-matches", "one", channel],
    queryFn: async ({ signal }) =>
      (await call("get", "/epg-matches", { query: { channel }, signal })).content[0] ?? null,
    staleTime: 0,
  });

export type CurrentLink = components["schemas"]["CurrentGuideLink"];

type Link = CurrentLink | null | undefined;
type GuideChannel = Pick<Candidate, "guideId" | "xmlId">;

/** Two guides may have the same id. */
export const isLinkedWith = (link: Link, { guideId, xmlId }: GuideChannel) =>
  link?.guideId === guideId && link.xmlId === xmlId;

/** A link is accepted again only where it is asked about: otherwise the channel would never leave the review. */
export const isAcceptable = (
  candidate: GuideChannel,
  { link, level }: { link?: Link; level?: components["schemas"]["MatchLevel"] | undefined },
) => level === "REVIEW" || !isLinkedWith(link, candidate);

/** The shift of the link that a channel has, if it is accepted again: another one has none. */
export const keptShift = (link: Link, candidate: GuideChannel) =>
  link && isLinkedWith(link, candidate) ? { shiftMinutes: link.shiftMinutes } : {};

interface Chosen {
  channel: number;
  /** Version of the channel's match. */
  version: number;
  candidate: Candidate;
  /** The link that the channel has: accepted again, it keeps its shift. */
  link: Link;
}

/** Links a channel with a candidate. Where another user decided meanwhile, the candidates are read again. */
export function useAcceptCandidate(title: string) {
  const client = useQueryClient();
  return useMutation<unknown, Problem, Chosen>({
    mutationFn: ({ channel, version, candidate, link }) =>
      call("put", `/tv-channels/${channel}/guide-link`, {
        body: {
          verdict: "ACCEPTED",
          guideId: candidate.guideId,
          xmlId: candidate.xmlId,
          ...keptShift(link, candidate),
        },
        ifVersion: version,
      }),
    onSuccess: (_, { candidate: { name } }) => toast.success(t("epgReview.done.ACCEPTED", { title, name })),
    onSettled: () => {
      for (const queryKey of changedLists("tv-channels")) void client.invalidateQueries({ queryKey });
    },
  });
}

/** Gives the channel of a link a shift of its own, or that of its playlist. */
export function useShift() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, Omit<Chosen, "candidate" | "link"> & { link: CurrentLink }>({
    mutationFn: ({ channel, version, link }) =>
      call("put", `/tv-channels/${channel}/guide-link`, {
        body: { verdict: "ACCEPTED", ...link },
        ifVersion: version,
      }),
    onSuccess: () => toast.success(t("epgReview.shift.saved")),
    onSettled: () => {
      for (const queryKey of changedLists("tv-channels")) void client.invalidateQueries({ queryKey });
    },
  });
}
