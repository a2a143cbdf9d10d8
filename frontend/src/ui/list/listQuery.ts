// The query of a list that follows the conventions of the API.
import type { ListState } from "./useListAddress";

/** Filters as they stand in the address: the server checks their values. */
export function fromAddress(filters: Record<string, string | undefined>) {
  return filters;
}

/** An id or another whole number in the address; an invalid one is not requested. */
export function numberInAddress(text: string | undefined): number | undefined {
  return text && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export function listQuery({ page, size, sort, search, filters }: ListState) {
  const order = sort && !sort.startsWith("-") ? `+${sort}` : sort;
  return { _page: page, _size: size, _sort: order || undefined, search: search || undefined, ...filters };
}

/** The answer for a list that needs no request. */
export function emptyPage({ size }: ListState) {
  return { content: [], page: 0, size, totalPages: 0, totalElements: 0 };
}
