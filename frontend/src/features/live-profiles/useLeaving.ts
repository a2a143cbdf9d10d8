// Closing a dialog: asks first where an address was not copied, or a form was changed.
import { useTranslation } from "react-i18next";
import { confirm } from "../../ui/confirm";

export function useLeaving() {
  const { t } = useTranslation();
  return async (texts: "liveProfiles.address.leave" | "form.leave", isLost: boolean) =>
    !isLost ||
    (await confirm({
      title: t(`${texts}Title`),
      consequence: t(`${texts}Consequence`),
      verb: t(`${texts}Verb`),
      cancel: t(`${texts}Cancel`),
    }));
}
