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

/** Everything that counts users, credits or contents; stale once one of those changed. */
export const dashboardKey = ["dashboards"] as const;

/** What the bell says. */
export const noticesKey = ["notices"] as const;

/** Responses with texts in the caller's language: programmes, reasons, violations. */
const localized = new Set<unknown>([
  "schedule",
  "guide-fetches",
  "epg-matches",
  "operations",
  "playlist-sources",
]);

/** Stale once another language was chosen. */
export function invalidateLocalized(client: QueryClient): void {
  void client.invalidateQueries({ predicate: ({ queryKey }) => localized.has(queryKey[0]) });
}

/** What a second attempt cannot change: the server understood and said no. */
function isFinal(error: unknown): boolean {
  return error instanceof Problem && error.status >= 400 && error.status < 500;
}

/**
 * By default the first request of a query goes on when the query is invalidated, and its answer, which may be older than
 * the change, counts as fresh. Here it is sent again, as later requests are.
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
        // Every call is tried at once and fails in words: by default the library holds calls back while the browser
        // says that it is offline, and would send a sale when its form is long closed.
        networkMode: "always",
        staleTime: freshness.lists,
        gcTime: freshness.kept,
        retry: (failures, error) => failures < 1 && !isFinal(error),
        retryDelay: 500,
        refetchOnWindowFocus: false,
        // What failed is read again once the network is back.
        refetchOnReconnect: (query) => (query.state.status === "error" ? "always" : false),
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
