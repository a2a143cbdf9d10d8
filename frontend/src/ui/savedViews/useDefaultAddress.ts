// Where a menu leads: to the list, with the view that the user opens it with, columns included.
import { useQuery } from "@tanstack/react-query";
import { savedViews } from "./queries";

interface ListLink {
  to: string;
  /** Columns that the list hides when it opens. */
  state?: { hiddenColumns: string[] };
}

export function useDefaultAddress(isEnabled: boolean) {
  const { data = [] } = useQuery({ ...savedViews, enabled: isEnabled });
  return ({ path, list }: { path: string; list?: string }): ListLink => {
    const view = list && data.find((one) => one.isDefault && one.list === list);
    if (!view) return { to: path };
    const { query, hiddenColumns } = view;
    return { to: `${path}?${query}`, state: hiddenColumns ? { hiddenColumns } : undefined };
  };
}
