// Queries of the dashboards. Counts are stale after a minute.
import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import { dashboardKey, freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";

type Schemas = components["schemas"];

export type Month = Schemas["Month"];
export type ExpiringUser = Schemas["ExpiringUser"];
export type SellingAgent = Schemas["SellingAgent"];
export type ContentCounts = Schemas["ContentCounts"];

function dashboard<Body>(role: string, load: (signal: AbortSignal) => Promise<Body>) {
  return queryOptions({
    queryKey: [...dashboardKey, role],
    queryFn: ({ signal }) => load(signal),
    staleTime: freshness.counts,
  });
}

export const dashboardQueries = {
  admin: dashboard("admin", (signal) => call("get", "/admin/dashboard", { signal })),
  agent: dashboard("agent", (signal) => call("get", "/agent/dashboard", { signal })),
  contentManager: dashboard("contentManager", (signal) =>
    call("get", "/content-manager/dashboard", { signal }),
  ),
};
