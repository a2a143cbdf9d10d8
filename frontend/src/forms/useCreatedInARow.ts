// What a form that creates something begins with, a blank one or a copy of something, and the next one after it.
import { useState } from "react";
import { useLocation, useNavigate } from "react-router";
import type { Rule } from "../api/rule";
import { Draft, type PartialDraft } from "./draft";

export function useCreatedInARow<D extends object>(blank: () => PartialDraft<D>, rule: Rule) {
  const navigate = useNavigate();
  const { pathname, state } = useLocation();
  const { copy } = (state ?? {}) as { copy?: PartialDraft<D> };
  const isCopy = copy !== undefined;
  const [draft] = useState(() => {
    const begun = new Draft<D>(blank(), rule);
    // A copy is a change already: leaving confirms.
    if (copy) begun.merge(copy);
    return begun;
  });
  // Counts those that were created in a row: each begins with a form of its own.
  const [round, setRound] = useState(0);
  return {
    draft,
    /** The copy is in the entry of the history: what comes after it replaces that, or the way back would begin it again. */
    isCopy,
    /** Of the form. */
    formKey: isCopy ? "copy" : round,
    isNew: isCopy || round > 0,
    another: () => {
      if (isCopy) navigate(pathname, { replace: true, preventScrollReset: true });
      setRound((count) => count + 1);
    },
  };
}
