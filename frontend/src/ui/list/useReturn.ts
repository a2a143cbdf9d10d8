// Puts the focus and the scroll back where they were when a list is returned to.
import { type RefObject, useEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";
import { rememberedListState, rememberListState } from "./listState";

export function useReturn(list: string, isReady: boolean, viewport: RefObject<HTMLElement | null>) {
  const { pathname, search, state } = useLocation();
  const isBack =
    useNavigationType() === "POP" || Boolean((state as { restoresList?: boolean } | null)?.restoresList);
  const address = pathname + search;
  const done = useRef(false);

  useEffect(() => {
    if (!isReady || done.current) return;
    done.current = true;
    const left = rememberedListState(list);
    if (!isBack || left?.address !== address) return;
    window.scrollTo?.(0, left.pageScroll);
    if (viewport.current) viewport.current.scrollTop = left.scroll;
    const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(left.row)}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView?.({ block: "nearest" });
  }, [isReady, isBack, address, list, viewport]);

  /** Called when a row is opened. */
  return (row: string | number) =>
    rememberListState(list, {
      address,
      row: String(row),
      scroll: viewport.current?.scrollTop ?? 0,
      pageScroll: window.scrollY,
    });
}
