// What a list shows, out of what was asked of the server.
import type { UseQueryResult } from "@tanstack/react-query";

export interface ListAnswer<Row> {
  rows: readonly Row[] | undefined;
  total: number | undefined;
  error: Error | null;
  /** Shows the last answer while the next is on its way. */
  isStale: boolean;
  retry: () => void;
}

/** The answer to a list's query. */
export function answerOf<Row>(
  list: UseQueryResult<{ content: readonly Row[]; totalElements: number }>,
): ListAnswer<Row> {
  return {
    rows: list.data?.content,
    total: list.data?.totalElements,
    error: list.error,
    isStale: list.isPlaceholderData,
    retry: () => void list.refetch(),
  };
}
