// Keeps the focus on the page. When the element that has it goes (a deleted row, a form that was left, a step that is
// done), the focus would fall to the body, and the keyboard would start again at the top bar. It stays in an open dialog.
import { useEffect } from "react";

/** Longer than a dialog takes to give the focus back. */
const restoreDelay = 60;

export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let row = -1;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = ({ target }: FocusEvent) => {
      focused = target as Element;
      const inRow = focused.closest("#content tbody tr, #content .card");
      if (inRow) row = [...(inRow.parentElement?.children ?? [])].indexOf(inRow);
      // A dialog over the list leaves the row as it was.
      else if (focused.closest("#content")) row = -1;
    };
    const isLost = () => document.activeElement === document.body && focused !== null && !focused.isConnected;
    const restore = () => {
      if (!isLost()) return;
      const dialog = [...document.querySelectorAll<HTMLElement>("[aria-modal=true]")].at(-1);
      const next = dialog ?? neighbour(row) ?? document.querySelector<HTMLElement>("#content h1");
      if (!next) return;
      const isField = next.tabIndex >= 0;
      if (!isField) next.tabIndex = -1;
      next.focus({ preventScroll: !isField });
    };
    const look = () => {
      if (!isLost()) return;
      clearTimeout(timer);
      timer = setTimeout(restore, restoreDelay);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", note);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("focusin", note);
    };
  }, []);
}

/** The row that took the place of the one that went, or the last. */
function neighbour(row: number): HTMLElement | undefined {
  if (row < 0) return undefined;
  const rows = document.querySelectorAll<HTMLElement>("#content [data-row]");
  return rows[Math.min(row, rows.length - 1)];
}
