// What a crash of the browser would lose of the columns that were matched with fields. The file has to be chosen again: what
// was matched is proposed for one with the same headings.
import { type Ref, useImperativeHandle, useState } from "react";
import type { UploadedSpreadsheet } from "../api/resourceFiles";
import type { Draft } from "../forms/draft";
import { useAbandonOnUnmount } from "../forms/useAbandonOnUnmount";
import { useDialogDraft } from "../forms/useDialogDraft";
import type { Matched } from "./matched";

export interface MatchedDraftHandle {
  /** What was matched is not proposed again: it is imported, or left on purpose. */
  abandon: () => void;
}

interface MatchedDraftProps {
  ref: Ref<MatchedDraftHandle>;
  resource: string;
  uploaded: UploadedSpreadsheet;
  draft: Draft<Matched>;
  /** Whether closing the dialog asks about what was matched. */
  isKept: boolean;
  /** The columns are on the screen. */
  isShown: boolean;
}

export function MatchedDraft({ ref, resource, uploaded, draft, isKept, isShown }: MatchedDraftProps) {
  const [of] = useState(
    () => `import ${resource} ${JSON.stringify(uploaded.columns.map(({ heading }) => heading))}`,
  );
  const { proposal, abandon } = useDialogDraft(draft, { of, labels: "imports" });
  useImperativeHandle(ref, () => ({ abandon }));
  useAbandonOnUnmount(draft, { isConfirmed: () => isKept, abandon });
  return isShown ? proposal : null;
}
