// Focuses the first field of a form or a dialog once it is rendered: fields are loaded separately.
import { type RefObject, useEffect } from "react";

const fields =
  '[data-autofocus], input:not([type="hidden"]):not(:disabled), select:not(:disabled), textarea:not(:disabled)';

const dialogs = '[role="dialog"]';

/** Keys that leave a field or trigger an action. */
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
    // A user who types at once is in the field already: the library's focus trap, which runs later, must not move the
    // focus. Shift, dead keys and input methods count as typing.
    const stopAtSteering = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
      if (steering.includes(key) || ctrlKey || metaKey) stop();
    };
    const look = () => {
      const first =
        root.current?.querySelector<HTMLElement>("[data-autofocus]") ??
        root.current?.querySelector<HTMLElement>(fields);
      if (!first) return;
      if (root.current?.contains(document.activeElement)) return;
      // Another dialog that opened meanwhile, such as the sign-in, keeps the focus.
      const dialog = document.activeElement?.closest(dialogs);
      if (dialog && dialog !== root.current?.closest(dialogs)) return;
      if (!isFree(document.activeElement)) return;
      first.focus();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    // The library's focus trap focuses the close button first: the focus is moved on from there.
    document.addEventListener("focusin", look);
    // Before the trap, which moves the focus at Tab by itself.
    document.addEventListener("keydown", stopAtSteering, true);
    document.addEventListener("pointerdown", stop);
    const timer = setTimeout(look);
    return stop;
  }, [isOn]);
}
