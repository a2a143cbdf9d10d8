// The film database as the first step of creating an item: when it is shown, and what it filled in.
import { startTransition, useState } from "react";
import { useLocation } from "react-router";
import type { Kind } from "../../access/kinds";
import { useUser } from "../../access/session";
import type { Draft, PartialDraft } from "../../forms/draft";
import { keptDraft } from "../../forms/keptDraft";
import { localDraft } from "../../forms/localDraft";
import type { Draft as DraftOf } from "./contents";
import type { ContentDefinition } from "./define";
import type { FoundFilm } from "./FilmLookup";
import { isEmpty } from "./LookupResult";

interface Result {
  unmatchedGenres: readonly string[];
  /** The names of the fields that it filled in. */
  filled: readonly string[];
}

const none: Result = { unmatchedGenres: [], filled: [] };

export function useLookup<K extends Kind>(
  of: ContentDefinition<K>,
  draft: Draft<DraftOf<K>>,
  isFilled = false,
) {
  const { username } = useUser();
  const { pathname, search } = useLocation();
  const [isOpen, setOpen] = useState(
    () =>
      of.lookup !== undefined &&
      !isFilled &&
      !keptDraft(username, pathname + search) &&
      !localDraft(username, pathname + search),
  );
  /** Opened from the form, which stays below it with what is typed there. */
  const [isAgain, setAgain] = useState(false);
  const [result, setResult] = useState(none);
  // The lookup stays visible until the fields are there.
  const close = () => startTransition(() => setOpen(false));
  return {
    ...result,
    isOpen,
    isFormShown: !isOpen || isAgain,
    open: () => {
      setAgain(true);
      setOpen(true);
    },
    close,
    apply: (found: FoundFilm) => {
      draft.merge(found.draft as PartialDraft<DraftOf<K>>);
      setResult({
        unmatchedGenres: found.unmatchedGenres,
        filled: Object.keys(found.draft).filter((name) => !isEmpty(draft.get(name))),
      });
      close();
    },
    clearUnmatched: () => setResult({ ...result, unmatchedGenres: [] }),
    /** For the next item. */
    restart: () => {
      setResult(none);
      setAgain(false);
      // Items with a page of their own lead there.
      if (of.lookup && !of.afterCreate) setOpen(true);
    },
  };
}
