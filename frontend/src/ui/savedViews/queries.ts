// The saved views of lists: one's own and those that are shared with one's role.
import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { components } from "../../api/schema.gen";

export type StoredSavedView = components["schemas"]["StoredSavedView"];

export const savedViews = queryOptions({
  queryKey: ["saved-views"],
  queryFn: ({ signal }) => call("get", "/saved-views", { signal }),
});
