// While it is rendered, leaving the page confirms, for what is typed outside of `EditForm`. Unless a draft in the browser's
// storage keeps it (`isKept`), the reload by the panel confirms too.
// Another search or filter in the address of the same page keeps what was typed, and needs no confirmation, unless
// `placeOf` says otherwise.
import { useEffect } from "react";
import { loadFormTexts } from "../i18n";
import type { Question } from "../ui/confirm";
import { type addressOf, useAskBeforeUnload } from "./useKeptDraft";
import { useLeaveGuard } from "./useLeaveGuard";

interface LeaveGuardProps {
  placeOf?: typeof addressOf;
  question?: Question;
  /** It is left with what was typed, on purpose. */
  onLeave?: () => void;
  /** A draft in the browser's storage keeps what was typed: a reload by the panel loses nothing. */
  isKept?: boolean;
}

export function LeaveGuard({ placeOf = pathOf, question, onLeave, isKept = false }: LeaveGuardProps) {
  useLeaveGuard(always, onLeave, placeOf, question);
  useAskBeforeUnload(true, isKept);
  useEffect(() => {
    // A list has no form, and may not have the texts of the question.
    void loadFormTexts();
  }, []);
  return null;
}

const always = () => true;
const pathOf = ({ pathname }: Parameters<typeof addressOf>[0]) => pathname;
