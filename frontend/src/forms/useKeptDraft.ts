// What keeps a draft when its page goes: the browser confirms before it leaves; a reload by the panel and the end of a
// session keep what was typed and give it back.
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { onSessionEnd, useUser } from "../access/session";
import { isReloading, onReload } from "../loading/reload";
import type { Draft } from "./draft";
import { forgetDraft, type KeptDraft, keepDraft, keptDraft } from "./keptDraft";

/** A form may be one of several at the same path. */
export function addressOf({ pathname, search }: { pathname: string; search: string }): string {
  return pathname + search;
}

/** The browser's own ways out ask while there are changes. A reload by the panel does only where not all are kept. */
export function useAskBeforeUnload(isChanged: boolean, isKept: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (!isKept || !isReloading()) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isChanged, isKept]);
}

/** Neither the end of a session nor a reload loses what was written. Answers what was restored. */
export function useKeptDraft(
  draft: Draft<object>,
  /** What is kept beside the values. */
  beside: () => Omit<KeptDraft, "values"> = () => ({}),
  onRestored?: (kept: KeptDraft) => void,
): KeptDraft | undefined {
  const { username } = useUser();
  const address = addressOf(useLocation());
  const [kept] = useState(() => keptDraft(username, address));
  const latest = useRef({ beside, onRestored });
  latest.current = { beside, onRestored };

  useEffect(() => {
    if (!kept) return;
    draft.merge(kept.values);
    latest.current.onRestored?.(kept);
    forgetDraft(username, address);
  }, [kept, draft, username, address]);

  useEffect(() => {
    let isKept = false;
    const keep = () => {
      if (!draft.isChanged()) return;
      keepDraft(username, address, { values: draft.storableValues(), ...latest.current.beside() });
      isKept = true;
    };
    // The page may have stayed open: a form saved since is not restored.
    const forget = () => {
      if (!isKept || draft.isChanged()) return;
      forgetDraft(username, address);
      isKept = false;
    };
    const stops = [
      onReload(keep),
      onSessionEnd((ending) => ending === "expired" && keep()),
      draft.subscribe(forget),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [draft, username, address]);
  return kept;
}
