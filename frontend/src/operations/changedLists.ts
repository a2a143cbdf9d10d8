// What a change of a resource changes that is shown somewhere: it is read again once an operation has ended, or one user
// or item was changed.
import type { QueryKey } from "@tanstack/react-query";
import { kinds } from "../access/kinds";
import { dashboardKey, noticesKey } from "../api/queryClient";

/** Where the names of items are beside their own list: rows have the name of their category. */
const named: Record<string, QueryKey[]> = {
  categories: [
    ...kinds.filter((kind) => kind !== "categories").map((kind) => ["contents", kind, "list"]),
    ["playlist-sources"],
    ["live-profiles"],
    ["schedule"],
  ],
  "tv-guides": [["guide-fetches"]],
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
    ...(named[kind] ?? []),
  ];
}

/** What shows programmes of channels, and how well guides cover them. */
export function onAir(kind: string): QueryKey[] {
  return kind === "tv-channels" || kind === "tv-guides" ? [["schedule"], ["guide-fetches"]] : [];
}
