// Gives the focus to the first field of a form or a dialog, once it is there: fields are downloads of their own.
import { type RefObject, useEffect } from "react";

const fields =
  '[data-autofocus], input:not([type="hidden"]):not(:disabled), select:not(:disabled), textarea:not(:disabled)';

export function useFirstField(
  root: RefObject<HTMLElement | null>,
  isOn: boolean,
  /** Whether the focus may move from where it is. */
  isFree: (focused: Element | null) => boolean = () => true,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form is shown
  useEffect(() => {
    if (!isOn) return;
    const stop = () => {
      observer.disconnect();
      clearTimeout(timer);
      document.removeEventListener("focusin", look);
      document.removeEventListener("keydown", stopAtSteering);
      document.removeEventListener("pointerdown", stop);
    };
    // Who types at once is in the field already; the library's focus trap, which is late, must not take the focus away.
    const stopAtSteering = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
      if (key.length > 1 || ctrlKey || metaKey) stop();
    };
    const look = () => {
      const first =
        root.current?.querySelector<HTMLElement>("[data-autofocus]") ??
        root.current?.querySelector<HTMLElement>(fields);
      if (!first) return;
      if (root.current?.contains(document.activeElement)) return;
      if (!isFree(document.activeElement)) return;
      first.focus();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    // The library's focus trap focuses the cross first; then the person decides.
    document.addEventListener("focusin", look);
    document.addEventListener("keydown", stopAtSteering);
    document.addEventListener("pointerdown", stop);
    const timer = setTimeout(look);
    return stop;
  }, [isOn]);
}
