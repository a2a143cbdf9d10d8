// The schedule in the server's own shapes: pages of channels with what is on in six hours of a day.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";

export type Schedule = components["schemas"]["Schedule"];
export type Row = components["schemas"]["ScheduleRow"];
export type Programme = components["schemas"]["Programme"];
export type ProgrammeAt = components["schemas"]["ProgrammeAt"];

/** Channels of a page. */
export const pageSize = 50;

/** What the schedule can be narrowed to. */
export interface ScheduleFilter {
  search: string;
  category: string;
  show: "" | "without" | "gaps";
}

export const scheduleQueries = {
  page: (from: number, to: number, page: number, { search, category, show }: ScheduleFilter) =>
    queryOptions({
      queryKey: ["schedule", from, to, page, search, category, show] as const,
      queryFn: ({ signal }) =>
        call("get", "/schedule", {
          query: {
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
            _page: page,
            _size: pageSize,
            search: search || undefined,
            category: category ? Number(category) : undefined,
            without: show === "without" || undefined,
            gaps: show === "gaps" || undefined,
          },
          signal,
        }),
      staleTime: freshness.counts,
    }),

  /** Where the service is: its days are those of the schedule. */
  zone: queryOptions({
    queryKey: ["schedule", "zone"],
    queryFn: ({ signal }) => call("get", "/schedule", { query: { _size: 1 }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ timeZone }) => timeZone,
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

  /** Categories that channels can have. */
  categories: queryOptions({
    queryKey: ["schedule", "categories"],
    queryFn: ({ signal }) =>
      call("get", "/categories", { query: { type: "TV_CHANNEL", _size: 1000 }, signal }),
    staleTime: freshness.counts,
  }),
};
