// The state of a list, and its query by the conventions of the API.
import { keptPageSize } from "./preferences";

export interface ListState {
  /** Zero-based, as the server counts; the address counts from one, as people do. */
  page: number;
  size: number;
  /** "title" ascending, "-title" descending, empty for the server's own order. */
  sort: string;
  search: string;
  filters: Record<string, string>;
}

export interface ListDefaults {
  /** Names the list where preferences are kept. */
  name: string;
  size: number;
  sort?: string;
  filters?: readonly string[];
}

const wholeNumber = /^\d{1,9}$/;

export function listStateOf(
  address: URLSearchParams,
  { name, size, sort = "", filters = [] }: ListDefaults,
): ListState {
  const page = address.get("page") ?? "";
  const wanted = Number(address.get("size"));
  return {
    page: wholeNumber.test(page) ? Math.max(0, Number(page) - 1) : 0,
    size: wanted >= 1 && wanted <= 1000 ? Math.floor(wanted) : (keptPageSize(name) ?? size),
    sort: address.get("sort") ?? sort,
    search: address.get("search") ?? "",
    filters: Object.fromEntries(filters.map((filter) => [filter, address.get(filter) ?? ""])),
  };
}

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
