// How a choice with a search behaves under the keyboard: typing replaces the chosen text, accents aside; Enter takes the
// first match, and without a match does not send the form.
import type { ComboboxItem, OptionsFilter } from "@mantine/core";
import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef } from "react";
import { plain } from "../ui/plain";

const selectText = (event: SyntheticEvent<HTMLInputElement>) => event.currentTarget.select();

const isEnterIn = (event: KeyboardEvent<HTMLInputElement>) =>
  event.key === "Enter" &&
  !event.nativeEvent.isComposing &&
  event.currentTarget.getAttribute("aria-expanded") === "true";

/** An open list answers Enter; the form is not sent with a search that chose nothing. */
function keepForm(event: KeyboardEvent<HTMLInputElement>) {
  if (isEnterIn(event)) event.preventDefault();
}

/**
 * Takes the marked option. The library forgets, in the task after the list was opened, which one it has marked: Enter
 * after a single letter would take nothing.
 */
function takeMarked(event: KeyboardEvent<HTMLInputElement>) {
  if (!isEnterIn(event)) return;
  const list = document.getElementById(event.currentTarget.getAttribute("aria-controls") ?? "");
  const marked = list?.querySelector<HTMLElement>("[data-combobox-selected]");
  if (!marked) return;
  event.preventDefault();
  event.stopPropagation();
  marked.click();
}

const filter: OptionsFilter = ({ options, search }) => {
  const wanted = plain(search);
  return (options as ComboboxItem[]).filter((option) => plain(option.label).includes(wanted));
};

const shared = {
  searchable: true,
  selectFirstOptionOnChange: true,
  openOnFocus: false,
  filter,
  onKeyDown: keepForm,
  onKeyDownCapture: takeMarked,
};

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
