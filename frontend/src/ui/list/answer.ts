// What a list shows, from the answer to its request.
import type { UseQueryResult } from "@tanstack/react-query";

export interface ListAnswer<Row> {
  rows: readonly Row[] | undefined;
  total: number | undefined;
  /** Which page the rows are, and of what size: while the next is on its way, not the requested one. */
  shown?: { page: number; size: number };
  error: Error | null;
  /** Shows the last answer while the next is on its way. */
  isStale: boolean;
  retry: () => void;
}

/** The answer to a list's query. */
export function answerOf<Row>(
  list: UseQueryResult<{ content: readonly Row[]; totalElements: number; page: number; size: number }>,
): ListAnswer<Row> {
  return {
    rows: list.data?.content,
    total: list.data?.totalElements,
    shown: list.data && { page: list.data.page, size: list.data.size },
    error: list.error,
    isStale: list.isPlaceholderData,
    retry: () => void list.refetch(),
  };
}
