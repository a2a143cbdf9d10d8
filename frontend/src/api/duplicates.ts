// The number of groups of probable duplicates, in a request of its own: the server compares all rows.
import { call } from "./client";
import { freshness } from "./queryClient";

export const duplicateCounts = {
  queryKey: ["contents", "duplicates"],
  queryFn: ({ signal }: { signal: AbortSignal }) => call("get", "/completeness/duplicates", { signal }),
  staleTime: freshness.lists,
};
