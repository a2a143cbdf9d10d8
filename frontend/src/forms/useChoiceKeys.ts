// How a choice with a search behaves under the keyboard: typing replaces the chosen text, Enter takes the first match,
// and Enter without a match does not send the form.
import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef } from "react";

const selectText = (event: SyntheticEvent<HTMLInputElement>) => event.currentTarget.select();

/** An open list answers Enter; the form is not sent with a search that chose nothing. */
function keepForm(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key === "Enter" && event.currentTarget.getAttribute("aria-expanded") === "true")
    event.preventDefault();
}

const shared = { searchable: true, selectFirstOptionOnChange: true, openOnFocus: false, onKeyDown: keepForm };

export function useChoiceKeys(value: unknown) {
  const input = useRef<HTMLInputElement>(null);
  // After a choice the focus stays: what is typed next is the next search.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the choice changes
  useEffect(() => {
    // The input shows the new choice one rendering later.
    const timer = setTimeout(() => {
      if (input.current && input.current === document.activeElement) input.current.select();
    });
    return () => clearTimeout(timer);
  }, [value]);
  return {
    ...shared,
    ref: input,
    onFocus: selectText,
    onClick: selectText,
    // Searching for what is chosen already and pressing Enter keeps it; there is a button that clears.
    allowDeselect: false,
  };
}

/** The same for several choices, whose text is only ever a search. */
export const choicesKeys = shared;
