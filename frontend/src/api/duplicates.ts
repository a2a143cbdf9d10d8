// How many groups of items are probably the same: all rows are compared, so it is requested beside everything else.
import { call } from "./client";
import { freshness } from "./queryClient";

export const duplicateCounts = {
  queryKey: ["contents", "duplicates"],
  queryFn: ({ signal }: { signal: AbortSignal }) => call("get", "/completeness/duplicates", { signal }),
  staleTime: freshness.lists,
};
