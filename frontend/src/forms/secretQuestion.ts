// The confirmation before a secret is lost that is shown once and was not copied, or is about to be shown.
import { t } from "../i18n";
import type { Question } from "../ui/confirm";

/** Where the texts of a secret are. */
export type SecretTexts = "keys.made" | "liveProfiles.address" | "users.reset.made" | "webhooks.secret";

export function secretQuestion(texts: SecretTexts): Question {
  return {
    title: t(`${texts}.leaveTitle`),
    consequence: t(`${texts}.leaveConsequence`),
    verb: t(`${texts}.leaveVerb`),
    cancel: t(`${texts}.leaveCancel`),
  };
}
