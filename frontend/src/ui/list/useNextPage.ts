// Reads the next page of a list ahead, once the pointer is near its button.
import { type FetchQueryOptions, type QueryKey, useQueryClient } from "@tanstack/react-query";
import type { ListState } from "./useListAddress";

export function useNextPage<Data, Failure, Selected, Key extends QueryKey>(
  state: ListState,
  pages: number | undefined,
  queryOf: (next: ListState) => FetchQueryOptions<Data, Failure, Selected, Key>,
): () => void {
  const client = useQueryClient();
  return () => {
    if (state.page + 1 < (pages ?? 0)) void client.prefetchQuery(queryOf({ ...state, page: state.page + 1 }));
  };
}
