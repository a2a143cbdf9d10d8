// The state of a list is in its address only: page, size, sort, search and filters. So a list can be bookmarked and
// shared, and the browser's back button restores it.
import { useCallback, useMemo } from "react";
import { useAddress } from "../../routing/useAddress";
import { nextSort } from "./columns";
import { type ListDefaults, type ListState, listStateOf } from "./listQuery";
import { keepPageSize } from "./preferences";

export type { ListState };

type Change = Partial<Omit<ListState, "filters">> & {
  filters?: Record<string, string | undefined>;
  /** The column whose header was pressed. */
  sortedBy?: string;
};

export function useListAddress(defaults: ListDefaults) {
  const [address, setAddress] = useAddress();
  const state = useMemo(() => listStateOf(address, defaults), [address, defaults]);

  const change = useCallback(
    (next: Change, { replace = false } = {}) =>
      setAddress(
        (before) => {
          if (next.size) keepPageSize(defaults.name, next.size);
          return write(before, next, defaults);
        },
        { replace, preventScrollReset: true },
      ),
    [setAddress, defaults],
  );
  return { state, change };
}

export type ChangeList = ReturnType<typeof useListAddress>["change"];

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
  // Filters and orders return to the first page.
  if (next.page === undefined) after.delete("page");
  else put("page", String(next.page + 1), next.page === 0);
  if (next.size !== undefined) put("size", String(next.size));
  const sort = sortedBy === undefined ? next.sort : nextSort(sortedBy, before.get("sort") ?? own, own);
  if (sort !== undefined) put("sort", sort, sort === own);
  if (next.search !== undefined) put("search", next.search);
  for (const [key, value] of Object.entries(filters ?? {})) put(key, value);
  return after;
}
