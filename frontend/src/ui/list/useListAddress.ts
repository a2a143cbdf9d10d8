// The state of a list lives in its address: page, size, sort, search and filters. Nothing else remembers it,
// so a list can be bookmarked, shared and returned to.
import { use, useCallback, useEffect, useMemo, useRef } from "react";
import { useLocation, useSearchParams } from "react-router";
import { RouterContext } from "../../routing/routerContext";
import { nextSort } from "./columns";
import { keepPageSize, keptPageSize } from "./preferences";

export interface ListState {
  /** Zero-based, as the server counts; the address counts from one, as people do. */
  page: number;
  size: number;
  /** "title" ascending, "-title" descending, empty for the server's own order. */
  sort: string;
  search: string;
  filters: Record<string, string>;
}

interface ListDefaults {
  /** Names the list where preferences are kept. */
  name: string;
  size: number;
  sort?: string;
  filters?: readonly string[];
}

type Change = Partial<Omit<ListState, "filters">> & {
  filters?: Record<string, string | undefined>;
  /** The column whose header was pressed. */
  sortedBy?: string;
};

const wholeNumber = /^\d{1,9}$/;

export function useListAddress(defaults: ListDefaults) {
  const [address, setAddress] = useSearchParams();
  const state = useMemo(() => listStateOf(address, defaults), [address, defaults]);

  // The last request: a second change may come before the first is on the screen.
  const latest = useRef(address);
  useEffect(() => {
    latest.current = address;
  }, [address]);
  // The address changes by other hands too, and what it leads to may be on its way for long.
  const router = use(RouterContext);
  const { pathname } = useLocation();
  useEffect(
    () =>
      router?.subscribe(({ location }) => {
        latest.current = new URLSearchParams(location.search);
      }),
    [router],
  );

  const change = useCallback(
    (next: Change, { replace = false } = {}) => {
      // Another page was opened: a search that was typed before does not lead back.
      if (router && router.state.location.pathname !== pathname) return;
      if (next.size) keepPageSize(defaults.name, next.size);
      latest.current = write(latest.current, next, defaults);
      setAddress(latest.current, { replace, preventScrollReset: true });
    },
    [setAddress, defaults, router, pathname],
  );
  return { state, change };
}

export type ChangeList = ReturnType<typeof useListAddress>["change"];

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

function write(
  before: URLSearchParams,
  { filters, sortedBy, ...next }: Change,
  defaults: ListDefaults,
): URLSearchParams {
  const own = defaults.sort ?? "";
  const after = new URLSearchParams(before);
  const put = (key: string, value: string | undefined, isDefault = false) => {
    if (value === undefined || value === "" || isDefault) after.delete(key);
    else after.set(key, value);
  };
  // Whatever narrows or reorders the list starts again at its first page.
  if (next.page === undefined) after.delete("page");
  else put("page", String(next.page + 1), next.page === 0);
  if (next.size !== undefined) put("size", String(next.size));
  const sort = sortedBy === undefined ? next.sort : nextSort(sortedBy, before.get("sort") ?? own, own);
  if (sort !== undefined) put("sort", sort, sort === own);
  if (next.search !== undefined) put("search", next.search);
  for (const [key, value] of Object.entries(filters ?? {})) put(key, value);
  return after;
}
