// What a form that creates something begins with, a blank one or a copy of something, and the next one after it.
import { useState } from "react";
import { useLocation, useNavigate } from "react-router";
import type { Rule } from "../api/rule";
import { Draft, type PartialDraft } from "./draft";
import { addressOf } from "./useKeptDraft";

/** `dialog` is for a form without an address of its own; a page finds its copy in the entry of the history. */
export function useCreatedInARow<D extends object>(
  blank: () => PartialDraft<D>,
  rule: Rule,
  dialog?: { copy: PartialDraft<D> | undefined },
) {
  const navigate = useNavigate();
  const location = useLocation();
  // Counts those that were created in a row: each begins with a form of its own.
  const [round, setRound] = useState(0);
  const ofEntry = (location.state ?? {}) as { copy?: PartialDraft<D> };
  const copy = dialog ? (round === 0 ? dialog.copy : undefined) : ofEntry.copy;
  const isCopy = copy !== undefined;
  const [draft] = useState(() => {
    const begun = new Draft<D>(blank(), rule);
    // A copy is a change already: leaving confirms.
    if (copy) begun.merge(copy);
    return begun;
  });
  return {
    draft,
    /** The copy is in the entry of the history: what comes after it replaces that, or the way back would begin it again. */
    isCopy,
    /** Of the form. */
    formKey: isCopy ? "copy" : round,
    isNew: isCopy || round > 0,
    another: () => {
      if (isCopy && !dialog) navigate(addressOf(location), { replace: true, preventScrollReset: true });
      setRound((count) => count + 1);
    },
  };
}
