// How a guide is fetched and read: how often, in which zone its times are, by how much they are shifted.
import { Autocomplete } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { rules } from "../api/rules.gen";
import { fieldsOf } from "../forms/fieldsOf";
import { SettingsDialog } from "../forms/SettingsDialog";
import { useField } from "../forms/useDraftForm";
import { addressOf } from "../forms/useKeptDraft";
import { type GuideFetch, type GuideSettings, useConfigure } from "./queries";
import "../forms/mantine-forms.css";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];

const { Amount } = fieldsOf<GuideSettings>();

export default function GuideSettingsDialog({ of, onClose }: { of: GuideFetch; onClose: () => void }) {
  const { t } = useTranslation();
  const { mutateAsync } = useConfigure(of.guideId);
  return (
    <SettingsDialog<GuideSettings>
      title={t("guideHealth.settings.of", { title: of.title })}
      of={of}
      rule={rules.GuideSettings}
      resource="tv-guides"
      draftOf={`tv-guides settings ${of.guideId}`}
      labels="guideHealth.settings"
      submitLabel={t("guideHealth.settings.save")}
      // Another filter may remove the row of the guide, and the dialog with it.
      placeOf={addressOf}
      save={mutateAsync}
      onClose={onClose}
    >
      <Amount name="refreshHours" />
      <Zone />
      <Amount name="shiftMinutes" />
      <Amount name="priority" />
    </SettingsDialog>
  );
}

function Zone() {
  const { value, change, input } = useField<string>("zone");
  return (
    <Autocomplete
      {...input}
      inputWrapperOrder={["label", "input", "description", "error"]}
      data={zones}
      limit={50}
      comboboxProps={{ zIndex: 400 }}
      value={value}
      onChange={change}
    />
  );
}
