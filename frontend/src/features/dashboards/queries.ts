// What the dashboards ask the server. Counts age fast: whoever comes back after a minute sees the newest.
import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import { dashboardKey, freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";

type Schemas = components["schemas"];

export type Month = Schemas["Month"];
export type ExpiringUser = Schemas["ExpiringUser"];
export type SellingAgent = Schemas["SellingAgent"];
export type ContentCounts = Schemas["ContentCounts"];

function dashboard<Answer>(path: string) {
  return queryOptions({
    queryKey: [...dashboardKey, path],
    queryFn: ({ signal }) => call<Answer>("get", path, { signal }),
    staleTime: freshness.counts,
  });
}

export const dashboardQueries = {
  admin: dashboard<Schemas["AdminDashboard"]>("/admin/dashboard"),
  agent: dashboard<Schemas["AgentDashboard"]>("/agent/dashboard"),
  contentManager: dashboard<Schemas["ContentManagerDashboard"]>("/content-manager/dashboard"),
};
