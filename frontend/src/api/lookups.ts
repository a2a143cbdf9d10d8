// All items of a resource, for choices and names: one request and one key for everything that shows them.
import { queryOptions } from "@tanstack/react-query";
import { freshness } from "./queryClient";
import { getList, type Resource } from "./resources";

export const lookupKey = (resource: Resource) => ["contents", resource, "lookup"] as const;

const lookup = <R extends Resource>(
  resource: R,
  sort: string,
  filters: Record<string, string | undefined> = {},
) =>
  queryOptions({
    queryKey: [...lookupKey(resource), filters],
    queryFn: ({ signal }) =>
      getList(resource, { _page: 0, _size: 1000, _sort: `+${sort}`, ...filters }, signal),
    staleTime: freshness.lookups,
  });

export const lookups = {
  categories: (type?: string) => lookup("categories", "description", { type }),
  guides: lookup("tv-guides", "title"),
};
