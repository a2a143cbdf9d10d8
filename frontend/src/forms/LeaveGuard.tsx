// While it is rendered, leaving the page confirms: for what is typed outside of a form with a draft, which nothing keeps.
// Another search or filter in the address of the same page keeps what was typed, and needs no confirmation.
import { useEffect } from "react";
import { loadFormTexts } from "../i18n";
import { useAskBeforeUnload } from "./useKeptDraft";
import { useLeaveGuard } from "./useLeaveGuard";

export function LeaveGuard() {
  useLeaveGuard(always, undefined, ({ pathname }) => pathname);
  useAskBeforeUnload(true, false);
  useEffect(() => {
    // A list has no form, and may not have the texts of the question.
    void loadFormTexts();
  }, []);
  return null;
}

const always = () => true;
