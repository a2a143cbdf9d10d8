// What an operation on a resource changes that is shown somewhere: it is read again once the operation has ended.
import type { QueryKey } from "@tanstack/react-query";

export function changedLists(resource: string): QueryKey[] {
  if (resource === "users") return [["users", "list"], ["renewals"], ["notices"]];
  if (resource === "issue-reports") return [["issues"]];
  return [
    ["contents", resource, "list"],
    ["contents", resource, "lookup"],
    ["contents", "completeness"],
    ["contents", "duplicates"],
    ["trash"],
  ];
}
