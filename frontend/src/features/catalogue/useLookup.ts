// The film database as the first step of creating an item: when it is shown, and what it filled in.
import { startTransition, useState } from "react";
import { useLocation } from "react-router";
import type { Kind } from "../../access/kinds";
import { useUser } from "../../access/session";
import type { Draft } from "../../forms/draft";
import { keptDraft } from "../../forms/keptDraft";
import { localDraft } from "../../forms/localDraft";
import type { Draft as DraftOf } from "./contents";
import type { ContentDefinition } from "./define";
import type { FoundFilm } from "./FilmLookup";
import { type FilledIn, fillIn } from "./fillIn";

interface Result {
  unmatchedGenres: readonly string[];
  filledIn: FilledIn;
}

const none: Result = { unmatchedGenres: [], filledIn: {} };

export function useLookup<K extends Kind>(
  definition: ContentDefinition<K>,
  draft: Draft<DraftOf<K>>,
  isFilled = false,
) {
  const { username } = useUser();
  const { pathname, search } = useLocation();
  const [isOpen, setOpen] = useState(
    () =>
      definition.lookup !== undefined &&
      !isFilled &&
      !keptDraft(username, pathname + search) &&
      !localDraft(username, pathname + search),
  );
  /** Opened from the form, which stays below it with what is typed there. */
  const [isAgain, setAgain] = useState(false);
  const [result, setResult] = useState(none);
  /** The id that another kind's lookup led here with: it is looked up once. */
  const [initialId, setInitialId] = useState(
    () => (isOpen && new URLSearchParams(search).get("imdb")) || undefined,
  );
  // The lookup stays visible until the fields are there.
  const close = () =>
    startTransition(() => {
      setOpen(false);
      setInitialId(undefined);
    });
  return {
    unmatchedGenres: result.unmatchedGenres,
    /** The names of the fields that it filled in. */
    filled: Object.keys(result.filledIn),
    initialId,
    isOpen,
    isFormShown: !isOpen || isAgain,
    open: () => {
      setAgain(true);
      setOpen(true);
    },
    close,
    apply: (found: FoundFilm) => {
      setResult({
        unmatchedGenres: found.unmatchedGenres,
        filledIn: fillIn(draft, found.draft, result.filledIn),
      });
      close();
    },
    clearUnmatched: () => setResult({ ...result, unmatchedGenres: [] }),
    /** For the next item. */
    restart: () => {
      setResult(none);
      setAgain(false);
      // Items with a page of their own lead there.
      if (definition.lookup && !definition.afterCreate) setOpen(true);
    },
  };
}
