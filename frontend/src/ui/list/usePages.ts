// What happens when a list shows another page.
import { type RefObject, useEffect, useRef } from "react";
import type { ListAnswer } from "./answer";
import type { ChangeList, ListState } from "./useListAddress";

/** Replaces a page that no longer exists (after deletions, from an old link) with the last page. */
export function useExistingPage(answer: ListAnswer<unknown>, state: ListState, change: ChangeList) {
  const last = answer.total === undefined ? undefined : Math.max(0, Math.ceil(answer.total / state.size) - 1);
  const isBeyond = !answer.isStale && answer.rows?.length === 0 && last !== undefined && state.page > last;
  useEffect(() => {
    if (isBeyond) change({ page: last }, { replace: true });
  }, [isBeyond, last, change]);
}

/** Another page starts at its top, once its rows are there; a list that is returned to does not. */
export function useTopOfPage(viewport: RefObject<HTMLElement | null>, page: number, isStale: boolean) {
  const shownPage = useRef(page);
  useEffect(() => {
    if (isStale || shownPage.current === page) return;
    shownPage.current = page;
    if (viewport.current) viewport.current.scrollTop = 0;
  }, [viewport, isStale, page]);
}
