// Keeps the draft of a dialog's form, which has no address of its own, and proposes what an earlier visit left there.
import { type ReactNode, useRef } from "react";
import type { useIdempotencyKey } from "../api/useIdempotencyKey";
import type { Draft } from "./draft";
import { FoundDraft } from "./FoundDraft";
import type { KeptDraft } from "./keptDraft";
import { leftOutOf, useLocalDraft } from "./useLocalDraft";

/**
 * What the user had changed. Without a version nothing reports what another user has changed since, so that the other
 * fields must stay as they are now; what was sent is sent again as it was.
 */
function changedValues({ values, before, version, sent }: KeptDraft): KeptDraft["values"] {
  if (version !== undefined || sent || !before) return values;
  const isSame = (name: string) =>
    JSON.stringify(values[name] ?? null) === JSON.stringify(before[name] ?? null);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !isSame(name)));
}

interface DialogDraftOptions {
  /** What it is the form of: no other form has the same. */
  of: string;
  labels: string;
  /** The form is open whenever its page is: leaving the page does not answer the proposal. */
  isAlwaysOpen?: boolean;
  /** The version that is being changed, and what to do when a draft of an older one comes back. */
  version?: number;
  onKeptVersion?: (version: number, before?: object, updatedDate?: string) => void;
  /** The last change that the version contains, where it is needed to say who changed it since. */
  updatedDate?: string;
  /** A draft was restored with these values. */
  onRestored?: (values: KeptDraft["values"]) => void;
  /** The key of what is created: a restored draft that was sent is sent again under the same key. */
  once?: ReturnType<typeof useIdempotencyKey>;
}

export function useDialogDraft(
  draft: Draft<object>,
  { of, labels, isAlwaysOpen, version, updatedDate, onKeptVersion, onRestored, once }: DialogDraftOptions,
): { proposal: ReactNode; abandon: () => void; storeSent: (body: unknown) => void } {
  const restored = useRef<KeptDraft>(undefined);
  const before = () => {
    // A restored draft may be of an older version than the form began with.
    const isOfRestored = version !== undefined && restored.current?.version === version;
    return (isOfRestored && restored.current?.before) || draft.unchanged();
  };
  const { found, replaced, restore, discard, abandon, store } = useLocalDraft(draft, {
    of,
    isAlwaysOpen,
    beside: () => ({
      version,
      updatedDate,
      sent: once?.sent(),
      leftOut: leftOutOf(draft),
      before: before(),
    }),
    onRestored: (kept) => {
      restored.current = kept;
      once?.restore(kept.sent);
      if (kept.version !== undefined) onKeptVersion?.(kept.version, kept.before, kept.updatedDate);
      onRestored?.(kept.values);
    },
    restoredOf: changedValues,
    isRestored: false,
  });
  return {
    proposal: found && (
      <FoundDraft found={found} labels={labels} replaced={replaced} onRestore={restore} onDiscard={discard} />
    ),
    /** The dialog is closed with its changes, on purpose. */
    abandon,
    /** Stores the draft with the key of this body, before it is sent: the answer may be lost with the page. */
    storeSent: (body) => {
      once?.keyFor(body);
      store();
    },
  };
}
