// Closing the dialog of an address confirms while the address was not copied.
import { t } from "../../i18n";
import { askAndCloseSecret } from "../../ui/askAndClose";

export function closeAddress(wasCopied: boolean, close: () => void): void {
  const question = {
    title: t("liveProfiles.address.leaveTitle"),
    consequence: t("liveProfiles.address.leaveConsequence"),
    verb: t("liveProfiles.address.leaveVerb"),
    cancel: t("liveProfiles.address.leaveCancel"),
  };
  void askAndCloseSecret(wasCopied, question, close);
}
