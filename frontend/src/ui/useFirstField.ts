// Gives the focus to the first field of a form or a dialog, once it is there: fields are downloads of their own.
import { type RefObject, useEffect } from "react";

const fields =
  '[data-autofocus], input:not([type="hidden"]):not(:disabled), select:not(:disabled), textarea:not(:disabled)';

const dialogs = '[role="dialog"]';

/** Keys that lead away from a field, or do something. */
const steering = ["Tab", "Enter", "Escape"];

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
      document.removeEventListener("keydown", stopAtSteering, true);
      document.removeEventListener("pointerdown", stop);
    };
    // Who types at once is in the field already; the library's focus trap, which is late, must not take the focus away.
    // Shift, dead keys and input methods are typing, too.
    const stopAtSteering = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
      if (steering.includes(key) || ctrlKey || metaKey) stop();
    };
    const look = () => {
      const first =
        root.current?.querySelector<HTMLElement>("[data-autofocus]") ??
        root.current?.querySelector<HTMLElement>(fields);
      if (!first) return;
      if (root.current?.contains(document.activeElement)) return;
      // Another dialog that opened meanwhile, as that to sign in again, keeps its own.
      const dialog = document.activeElement?.closest(dialogs);
      if (dialog && dialog !== root.current?.closest(dialogs)) return;
      if (!isFree(document.activeElement)) return;
      first.focus();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    // The library's focus trap focuses the cross first; then the person decides.
    document.addEventListener("focusin", look);
    // Before the trap, which moves the focus at Tab by itself.
    document.addEventListener("keydown", stopAtSteering, true);
    document.addEventListener("pointerdown", stop);
    const timer = setTimeout(look);
    return stop;
  }, [isOn]);
}
