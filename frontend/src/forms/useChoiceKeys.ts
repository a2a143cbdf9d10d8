// Keyboard handling of a select with a search: typing replaces the chosen text; Enter chooses the first match, ignoring
// accents, and without a match does not submit the form.
import type { ComboboxItem, OptionsFilter } from "@mantine/core";
import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef } from "react";
import { plain } from "../ui/plain";

const selectText = (event: SyntheticEvent<HTMLInputElement>) => event.currentTarget.select();

const isEnterIn = (event: KeyboardEvent<HTMLInputElement>) =>
  event.key === "Enter" &&
  !event.nativeEvent.isComposing &&
  event.currentTarget.getAttribute("aria-expanded") === "true";

/** Enter is handled by the open list, so that a search without a match does not submit the form. */
function keepForm(event: KeyboardEvent<HTMLInputElement>) {
  if (isEnterIn(event)) event.preventDefault();
}

/**
 * Chooses the marked option. The library clears its mark in the task after the list was opened: Enter after a single letter
 * would choose nothing.
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
    // The input shows the new choice after the next render.
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

/** The same for a multi-select, whose text is always a search. */
export const choicesKeys = shared;
