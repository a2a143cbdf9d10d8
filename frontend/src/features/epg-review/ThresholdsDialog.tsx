// From which scores on something is done, with what follows from each.
import { useTranslation } from "react-i18next";
import { rules } from "../../api/rules.gen";
import { fieldsOf } from "../../forms/fieldsOf";
import { SettingsDialog } from "../../forms/SettingsDialog";
import { type Matching, type Settings, useConfigure } from "./queries";

const { Amount, Flag } = fieldsOf<Settings>();

export default function ThresholdsDialog({ of, onClose }: { of: Matching; onClose: () => void }) {
  const { t } = useTranslation();
  const { mutateAsync } = useConfigure();
  return (
    <SettingsDialog<Settings>
      title={t("epgReview.settings.title")}
      of={of}
      rule={rules.MatchingSettings}
      resource="epg-matching"
      draftOf="epg-matching settings"
      labels="epgReview.settings"
      submitLabel={t("epgReview.settings.save")}
      save={mutateAsync}
      onClose={onClose}
    >
      <Flag name="automatic" />
      <Amount name="auto" />
      <Amount name="review" />
      <Amount name="lead" />
    </SettingsDialog>
  );
}
