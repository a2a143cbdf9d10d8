// For how long renewals leave a customer out.
import { NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useTranslation } from "react-i18next";
import { snoozeDays } from "./notes";

interface SnoozeChoiceProps {
  /** Days from today; 0 for not at all. */
  days: number;
  onDays: (days: number) => void;
}

export function SnoozeChoice({ days, onDays }: SnoozeChoiceProps) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      label={t("renewals.snooze")}
      description={t("renewals.snoozeHelp")}
      value={String(days)}
      data={snoozeDays.map((one) => ({ value: String(one), label: t(`renewals.snoozeFor.${one}`) }))}
      onChange={(event) => onDays(Number(event.currentTarget.value))}
    />
  );
}
