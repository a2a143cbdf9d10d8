// Closing a dialog by its cross, Escape or its button confirms while something typed in it would be lost.
import { loadFormTexts, t } from "../i18n";
import { confirm, type Question } from "./confirm";
// The question comes with the form that it guards.
import "./ConfirmDialog";

export async function askAndClose(isChanged: boolean, close: () => void): Promise<void> {
  if (!isChanged) return close();
  // A list with a dialog has no form, and may not have its texts.
  await loadFormTexts();
  const leaves = await confirm({
    title: t("form.leaveTitle"),
    consequence: t("form.leaveDialog"),
    verb: t("form.leaveVerb"),
    cancel: t("form.leaveCancel"),
  });
  if (leaves) close();
}

/** The same before the values of an earlier version take the place of what is typed. */
export async function askAndReplace(isChanged: boolean, replace: () => void): Promise<void> {
  if (!isChanged) return replace();
  await loadFormTexts();
  const replaces = await confirm({
    title: t("form.replaceTitle"),
    consequence: t("form.replacedByVersion"),
    verb: t("form.replaceVerb"),
    cancel: t("form.leaveCancel"),
  });
  if (replaces) replace();
}

/** The same before a secret is gone that is shown once and was not copied. */
export async function askAndCloseSecret(
  wasCopied: boolean,
  question: Question,
  close: () => void,
): Promise<void> {
  if (wasCopied || (await confirm(question))) close();
}
