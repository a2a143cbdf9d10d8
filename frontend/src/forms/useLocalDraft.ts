// Keeps a draft in the browser's storage while its form is open, and gives back what an earlier visit left there.
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { onSessionEnd, useUser } from "../access/session";
import type { Draft } from "./draft";
import type { KeptDraft } from "./keptDraft";
import { type LocalDraft, localDraft, removeLocalDraft, storeLocalDraft } from "./localDraft";
import { addressOf } from "./useKeptDraft";

/** How long after the last change it is stored, in milliseconds. */
const storeDelay = 500;

interface LocalDraftOptions {
  /** What is kept beside the values. */
  beside: () => Omit<KeptDraft, "values">;
  onRestored: (kept: KeptDraft) => void;
  /** Which of its values are restored; without it, all of them. */
  restoredOf?: (kept: KeptDraft) => KeptDraft["values"];
  /** Something was restored already: what is stored is not offered. */
  isRestored: boolean;
  /** A form that has no address of its own, such as that of a dialog: what it is the form of. */
  of?: string;
  /** The form is open whenever its page is: leaving the page keeps a proposal that was not answered. */
  isAlwaysOpen?: boolean;
}

export function useLocalDraft(draft: Draft<object>, options: LocalDraftOptions) {
  const { username } = useUser();
  const location = useLocation();
  // A copy is another draft than the one that was left in the empty form at the same address, and than other copies: its
  // entry of the history has a key, which a reload keeps.
  const isCopy =
    options.of === undefined && (location.state as { copy?: unknown } | null)?.copy !== undefined;
  const address = options.of ?? `${addressOf(location)}${isCopy ? `#copy ${location.key}` : ""}`;
  // A copy counts as changed from the start: only what differs from the copied values is stored.
  const [copied] = useState(() => (isCopy ? JSON.stringify(draft.toPayload()) : undefined));
  const [found, setFound] = useState<LocalDraft | undefined>(() =>
    // A draft with changes already contains what was stored: its form was only unmounted for a moment.
    options.isRestored || (!isCopy && draft.isChanged()) ? undefined : localDraft(username, address),
  );
  const latestFound = useRef(found);
  latestFound.current = found;
  const latest = useRef(options);
  latest.current = options;
  const isDiscarded = useRef(false);
  const hasExpired = useRef(false);
  /** What is stored is of this form as it is now, not of an earlier visit. */
  const wasStored = useRef(false);
  const storeNow = useRef(() => {});

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    wasStored.current = false;
    const begun = draft.begun();
    isDiscarded.current = false;
    hasExpired.current = false;
    const hasChanges = () =>
      draft.isChanged() &&
      (JSON.stringify(draft.toPayload()) !== copied || latest.current.beside().sent !== undefined);
    const store = () => {
      clearTimeout(timer);
      if (isDiscarded.current) return;
      if (hasChanges()) {
        storeLocalDraft(username, address, { values: draft.storableValues(), ...latest.current.beside() });
        wasStored.current = true;
      } else if (wasStored.current) {
        // An earlier draft that was neither restored nor discarded stays stored, unless the form was saved.
        const isSaved = isCopy ? !draft.isChanged() : draft.begun() !== begun;
        if (latestFound.current && !isSaved) storeLocalDraft(username, address, latestFound.current);
        else {
          removeLocalDraft(username, address);
          setFound(undefined);
        }
        wasStored.current = false;
      }
    };
    storeNow.current = store;
    const follow = () => {
      clearTimeout(timer);
      // What was saved goes at once.
      if (hasChanges()) timer = setTimeout(store, storeDelay);
      else store();
    };
    const stops = [
      draft.subscribe(follow),
      onSessionEnd((ending) => {
        if (ending === "signedOut") isDiscarded.current = true;
        else hasExpired.current = true;
      }),
    ];
    window.addEventListener("pagehide", store);
    return () => {
      store();
      // Proposed once: the form was left without it. A crash, a reload and the end of a session leave it stored.
      const isLeft = !latest.current.isAlwaysOpen && !hasExpired.current;
      if (latestFound.current && !hasChanges() && isLeft) removeLocalDraft(username, address);
      for (const stop of stops) stop();
      window.removeEventListener("pagehide", store);
    };
  }, [draft, username, address, isCopy, copied]);

  const discard = () => {
    setFound(undefined);
    removeLocalDraft(username, address);
  };
  const restoredOf = options.restoredOf ?? (({ values }: KeptDraft) => values);
  return {
    found,
    /** The fields that were written since, which what is found would replace. */
    replaced: () => {
      if (!found) return [];
      const before = copied === undefined ? draft.unchanged() : JSON.parse(copied);
      const stored = restoredOf(found);
      const differs = (value: unknown, other: unknown) =>
        JSON.stringify(value ?? null) !== JSON.stringify(other ?? null);
      return Object.entries({ ...draft.toPayload(), ...draft.storableValues() })
        .filter(
          ([name, value]) => name in stored && differs(value, before[name]) && differs(value, stored[name]),
        )
        .map(([name]) => name);
    },
    restore: () => {
      if (!found) return;
      draft.merge(restoredOf(found));
      wasStored.current = true;
      latest.current.onRestored(found);
      setFound(undefined);
    },
    discard,
    /** The form is left with its changes, on purpose. */
    abandon: () => {
      isDiscarded.current = true;
      discard();
    },
    /** At once, before something is sent. */
    store: () => storeNow.current(),
  };
}

/** Names of the fields that a stored draft does not have. */
export function leftOutOf(draft: Draft<object>): string[] | undefined {
  const names = draft.leftOut();
  return names.length > 0 ? names : undefined;
}
