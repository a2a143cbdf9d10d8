// What confirms before an address is lost that was not copied, and closing its dialog by that.
import { t } from "../../i18n";
import { askAndCloseSecret } from "../../ui/askAndClose";

export function addressQuestion() {
  return {
    title: t("liveProfiles.address.leaveTitle"),
    consequence: t("liveProfiles.address.leaveConsequence"),
    verb: t("liveProfiles.address.leaveVerb"),
    cancel: t("liveProfiles.address.leaveCancel"),
  };
}

export function closeAddress(wasCopied: boolean, close: () => void): void {
  void askAndCloseSecret(wasCopied, addressQuestion(), close);
}
