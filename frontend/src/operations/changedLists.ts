// What a change of a resource changes that is shown somewhere: it is read again once an operation has ended, or one user
// or item was changed.
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { kinds } from "../access/kinds";
import { dashboardKey, noticesKey } from "../api/queryClient";

/** Seasons and episodes go and come back with their show, and its row counts them. */
const ofShows: QueryKey[] = [
  ["series"],
  ...["tv-shows", "seasons", "episodes"].map((kind) => ["contents", kind, "list"]),
];

/** Where items are shown beside their own list: rows have the name of their category. */
const beside: Record<string, QueryKey[]> = {
  categories: [
    ...kinds.filter((kind) => kind !== "categories").map((kind) => ["contents", kind, "list"]),
    ["playlist-sources"],
    ["live-profiles"],
    ["schedule"],
  ],
  "tv-guides": [["guide-fetches"]],
  // Entries say what of their channel or station is a user's; what has a guide waits for none.
  "tv-channels": [["playlist-sources"], ["epg-matches"], ["tv-channels", "streams"]],
  "radio-stations": [["playlist-sources"]],
  "tv-shows": ofShows,
  seasons: ofShows,
  episodes: ofShows,
};

/** The list of the resource first. */
export function changedLists(resource: string): QueryKey[] {
  if (resource === "users")
    return [
      ["users", "list"],
      ["users", "agents"],
      // The ledger, requests, statements and reports name users.
      ["credits"],
      ["issues"],
      ["issue-assignees"],
      ["live-profiles", "subscribers"],
      ["renewals"],
      noticesKey,
      dashboardKey,
    ];
  if (resource === "issue-reports") return [["issues"]];
  return [["contents", resource, "list"], ...shownBeside(resource)];
}

/** What shows contents of a kind beside their own list. */
export function shownBeside(kind: string): QueryKey[] {
  return [
    ["contents", kind, "lookup"],
    ["contents", "completeness"],
    ["contents", "duplicates"],
    ["trash"],
    dashboardKey,
    ...onAir(kind),
    ...(beside[kind] ?? []),
  ];
}

/** What shows programmes of channels, and how well guides cover them. */
export function onAir(kind: string): QueryKey[] {
  return kind === "tv-channels" || kind === "tv-guides" ? [["schedule"], ["guide-fetches"]] : [];
}

/**
 * Stops reads of lists whose answers would show a row as it was; answers how many were under way. A page without data is not stopped: it is
 * on its way.
 */
export async function stopReading(client: QueryClient, queryKey: QueryKey): Promise<number> {
  const reads = client.isFetching({ queryKey });
  await client.cancelQueries({ queryKey, predicate: ({ state }) => state.data !== undefined });
  return reads;
}

/** Other pages, orders and filters are not what they were; what is shown is read again only where a read of it was stopped or goes on. */
export function forgetPages(client: QueryClient, queryKey: QueryKey, stopped?: number) {
  const refetchType = stopped || client.isFetching({ queryKey }) ? "active" : "none";
  void client.invalidateQueries({ queryKey, refetchType });
}

/** The page with a row changed; `undefined`, which leaves it alone, where it does not have the row. */
export function withRow<R, P extends { content: R[] }>(
  page: P | undefined,
  isIt: (row: R) => boolean,
  change: (row: R) => R,
): P | undefined {
  if (page?.content.some(isIt))
    return { ...page, content: page.content.map((row) => (isIt(row) ? change(row) : row)) };
}

/** The fields of an item that its row has. */
export function rowFieldsOf<R extends object>(item: object, row: R): Partial<R> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name in row)) as Partial<R>;
}

/** Whether another user saved an item after its row was read: what the item lacks, as qualities, has to be read again. */
export function isBehind(row: { version: number }, saved: { version: number }): boolean {
  return saved.version > row.version + 1;
}
