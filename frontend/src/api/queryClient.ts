// How long data of the server stays fresh (docs/spec/screens.md#freshness-of-data).
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { Problem } from "./problem";

const minute = 60_000;

export const freshness = {
  lists: 5 * minute,
  lookups: 10 * minute,
  issueLists: 2 * minute,
  counts: minute,
  kept: 10 * minute,
} as const;

/** Key of the counts of users, credits and contents; stale once one of those changed. */
export const dashboardKey = ["dashboards"] as const;

/** Key of the notices of the bell. */
export const noticesKey = ["notices"] as const;

/** Keys of responses with texts in the caller's language: programmes, reasons, violations. */
const localized = new Set<unknown>([
  "schedule",
  "guide-fetches",
  "epg-matches",
  "operations",
  "playlist-sources",
]);

/** Invalidates localized responses after a change of the language. */
export function invalidateLocalized(client: QueryClient): void {
  void client.invalidateQueries({ predicate: ({ queryKey }) => localized.has(queryKey[0]) });
}

/** Whether a retry is useless: the server has refused the request. */
function isFinal(error: unknown): boolean {
  return error instanceof Problem && error.status >= 400 && error.status < 500;
}

/**
 * By default, invalidating a query does not cancel its first request, and the response, which may be older than the change,
 * counts as fresh. This client cancels the request and sends it again, as for later requests.
 */
class PanelQueryClient extends QueryClient {
  override invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    if (filters?.refetchType !== "none") {
      for (const query of this.getQueryCache().findAll({
        ...filters,
        type: "active",
        fetchStatus: "fetching",
      }))
        if (query.state.data === undefined) void query.cancel({ silent: true });
    }
    return super.invalidateQueries(filters, options);
  }
}

export function createQueryClient(): QueryClient {
  return new PanelQueryClient({
    defaultOptions: {
      queries: {
        // Every call is sent at once and fails with a message: by default the library queues calls while the browser is
        // offline, and would send a sale after its form was closed.
        networkMode: "always",
        staleTime: freshness.lists,
        gcTime: freshness.kept,
        retry: (failures, error) => failures < 1 && !isFinal(error),
        retryDelay: 500,
        refetchOnWindowFocus: false,
        // Failed queries are sent again once the network is back.
        refetchOnReconnect: (query) => (query.state.status === "error" ? "always" : false),
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
