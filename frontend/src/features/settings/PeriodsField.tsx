// For how long credits may be sold: a box for each period.
import { Checkbox, Group } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { useTranslation } from "react-i18next";
import { useField } from "../../forms/useDraftForm";
import type { AppSettings } from "./queries";

type Periods = AppSettings["allowedPeriods"];

export const periods = ["months", "years"] as const;

export function PeriodsField({ name }: { name: "allowedPeriods" }) {
  const { t } = useTranslation();
  const { value, change, input } = useField<Periods>(name);
  return (
    <fieldset className="settings-periods">
      <legend>{input.label}</legend>
      <Group gap="lg">
        {periods.map((period) => (
          <Checkbox
            key={period}
            label={t(`appSettings.control.periods.${period}`)}
            checked={value?.[period] ?? false}
            onChange={(event) => change({ ...value, [period]: event.currentTarget.checked })}
          />
        ))}
      </Group>
      {input.error && <p className="settings-error">{input.error}</p>}
    </fieldset>
  );
}
