// What the small forms of dialogs share: saved by button, Enter or Ctrl+S; after a refusal the first field that is wrong
// gets the focus.
import type { FormEvent, KeyboardEvent } from "react";

/** The event handlers of a form element. */
export function submitHandlers(save: () => void) {
  return {
    onSubmit: (event: FormEvent) => {
      event.preventDefault();
      // React bubbles events of a dialog to the form that opened it, which must not be saved by this.
      event.stopPropagation();
      save();
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      save();
    },
  };
}

/** Waits until the errors are on the screen. */
export function focusFirstInvalid(form: HTMLFormElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
