// The schedule in the server's own shapes: pages of channels with what is on in six hours of a day.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { numberInAddress } from "../../ui/list/listQuery";

export type Schedule = components["schemas"]["Schedule"];
export type Row = components["schemas"]["ScheduleRow"];
export type Programme = components["schemas"]["Programme"];
export type ProgrammeAt = components["schemas"]["ProgrammeAt"];

type WithoutReason = NonNullable<Row["without"]>;

/** The reasons that a decision of the guide review ends. */
export const isPending = (reason: WithoutReason | null | undefined): boolean =>
  reason === "TWO_FIT" || reason === "NOBODY_DECIDED";

/** Channels of a page. */
export const pageSize = 50;

/** What is found in programmes. */
const findings = ["gaps", "overlaps", "placeholders", "uncovered"] as const;
export const shows = ["without", ...findings] as const;
export type Show = (typeof shows)[number];
export const isFinding = (show: string): boolean => (findings as readonly string[]).includes(show);

/** What the schedule can be narrowed to. */
export interface ScheduleFilter {
  search: string;
  category: string;
  show: "" | Show;
  /** A guide, a reason for having no programmes: what a number of guide health counts. */
  guide: string;
  reason: string;
  /** Hours from now on in which something is found, instead of the day that is looked at. */
  hours: string;
}

/** The service's time zone, and how many days before and after today can be looked at. */
export interface Days {
  zone: string;
  daysBack: number;
  daysAhead: number;
}

/** What the filter asks for. */
export const filterQuery = (filter: ScheduleFilter) => ({
  search: filter.search || undefined,
  category: numberInAddress(filter.category),
  guide: numberInAddress(filter.guide),
  reason: (filter.reason || undefined) as WithoutReason | undefined,
  hours: numberInAddress(filter.hours),
  ...(filter.show && { [filter.show]: true }),
  // What is counted of a guide are the channels that have their programmes from it.
  ...(filter.guide && filter.show !== "without" && !filter.reason && { without: false }),
});

export const scheduleQueries = {
  page: (from: number, to: number, page: number, filter: ScheduleFilter) =>
    queryOptions({
      queryKey: ["schedule", from, to, page, filter] as const,
      queryFn: ({ signal }) =>
        call("get", "/schedule", {
          query: {
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
            _page: page,
            _size: pageSize,
            ...filterQuery(filter),
          },
          signal,
        }),
      staleTime: freshness.counts,
    }),

  /** Where the service is, whose days are those of the schedule, and which of them are kept. */
  days: queryOptions({
    queryKey: ["schedule", "days"],
    queryFn: ({ signal }) => call("get", "/schedule", { query: { _size: 1 }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ timeZone, daysBack, daysAhead }): Days => ({ zone: timeZone, daysBack, daysAhead }),
  }),

  programme: (channel: number, at: number) =>
    queryOptions({
      queryKey: ["schedule", "programme", channel, at],
      queryFn: ({ signal }) =>
        call("get", `/tv-channels/${channel}/programme`, {
          query: { at: new Date(at).toISOString() },
          signal,
        }),
      staleTime: freshness.counts,
      placeholderData: keepPreviousData,
    }),
};
