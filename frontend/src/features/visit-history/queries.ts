// The requests of the history of visits.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { fromAddress, listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";

export type Visit = components["schemas"]["Visit"];
export type Day = components["schemas"]["DayOfVisits"];

type Filters = ListState["filters"];

/** What narrows the chart as it narrows the list. */
function ofChart({ username, kind, from, to }: Filters) {
  return fromAddress({ username, kind, from, to });
}

export const visitQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: ["visits", "list", state],
      queryFn: ({ signal }) => call("get", "/visits", { query: listQuery(state), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  perDay: (filters: Filters) =>
    queryOptions({
      queryKey: ["visits", "perDay", ofChart(filters)],
      queryFn: ({ signal }) => call("get", "/visits/per-day", { query: ofChart(filters), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),
};
