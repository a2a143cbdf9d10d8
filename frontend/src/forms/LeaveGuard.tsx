// While it is rendered, leaving the page confirms: for what is typed outside of a form with a draft. Another search or
// filter in the address of the same page keeps what was typed, and is not asked about.
import { useEffect } from "react";
import { loadFormTexts } from "../i18n";
import { isReloading } from "../loading/reload";
import { useLeaveGuard } from "./useLeaveGuard";

export function LeaveGuard() {
  useLeaveGuard(always, undefined, ({ pathname }) => pathname);
  useEffect(() => {
    // A list has no form, and may not have the texts of the question.
    void loadFormTexts();
    const ask = (event: BeforeUnloadEvent) => {
      if (!isReloading()) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
  return null;
}

const always = () => true;
