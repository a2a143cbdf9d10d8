// The selected rows of a list: some by their ids, on all pages, or all that match. Another search or filter clears the
// selection.
import { useState } from "react";
import type { ListState } from "./useListAddress";

/** The id of a row: a number for content, the username for a user. */
export type RowId = number | string;

export interface Selection {
  /** The selected ids; empty where everything is. */
  ids: readonly RowId[];
  /** All rows that match, on all pages. */
  everything: boolean;
  /** All rows were selected until one was deselected; now only the others of its page are selected. */
  isNarrowed: boolean;
  has: (id: RowId) => boolean;
  /** Selects a row or not; a range is from the row that was clicked before to this one. */
  toggle: (id: RowId, page: readonly RowId[], isRange: boolean) => void;
  /** Selects the rows of a page, or none of them if all are selected. */
  togglePage: (page: readonly RowId[]) => void;
  selectEverything: () => void;
  /** Deselects a row that was removed. */
  forget: (id: RowId) => void;
  clear: () => void;
}

interface Selected {
  list: string;
  ids: readonly RowId[];
  everything: boolean;
  isNarrowed: boolean;
  last?: RowId;
}

export function useSelection({ search, filters }: Pick<ListState, "search" | "filters">): Selection {
  const list = JSON.stringify([search, filters]);
  const none: Selected = { list, ids: [], everything: false, isNarrowed: false };
  const [kept, setKept] = useState(none);
  const { ids, everything, isNarrowed, last } = kept.list === list ? kept : none;
  const change = (next: Partial<Selected>) => setKept({ ...none, ...next });
  const has = (id: RowId) => everything || ids.includes(id);
  const select = (some: readonly RowId[], isOn: boolean, last?: RowId) => {
    const others = ids.filter((id) => !some.includes(id));
    change({ ids: isOn ? [...others, ...some] : others, isNarrowed, last });
  };
  return {
    ids,
    everything,
    isNarrowed,
    has,
    toggle: (id, page, isRange) => {
      if (everything) return change({ ids: page.filter((one) => one !== id), isNarrowed: true, last: id });
      const from = isRange && last !== undefined ? page.indexOf(last) : -1;
      const to = page.indexOf(id);
      const range = from < 0 ? [id] : page.slice(Math.min(from, to), Math.max(from, to) + 1);
      select(range, !has(id), id);
    },
    togglePage: (page) => (everything ? change({}) : select(page, !page.every(has))),
    selectEverything: () => change({ everything: true }),
    // Of the selection at that time: a deletion may take long.
    forget: (id) => setKept((now) => ({ ...now, ids: now.ids.filter((one) => one !== id) })),
    clear: () => change({}),
  };
}
