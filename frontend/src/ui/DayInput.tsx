// A calendar date on its own, outside of a form: written or picked, in the reader's language. Heavy, so whoever shows it
// fetches it when needed.
import { DateInput } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import dayjs from "dayjs";
import "dayjs/locale/es";
import customParseFormat from "dayjs/plugin/customParseFormat";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../i18n";

dayjs.extend(customParseFormat);

interface DayInputProps {
  label: string;
  /** 2026-11-20, or nothing. */
  value: string;
  min?: string;
  max?: string;
  error?: string;
  onDay: (day: string | undefined) => void;
}

const day = /^\d{4}-\d{2}-\d{2}$/;
const placeholder = "31/12/2026";

export default function DayInput({ label, value, min, max, error, onDay }: DayInputProps) {
  const { t } = useTranslation();
  return (
    <DateInput
      className="day-input"
      label={label}
      locale={currentLanguage()}
      valueFormat="DD/MM/YYYY"
      placeholder={placeholder}
      clearable
      clearButtonProps={{ "aria-label": t("common.clear", { field: label }) }}
      highlightToday
      minDate={min || undefined}
      maxDate={max || undefined}
      error={error}
      // What an address says may be anything.
      value={day.test(value) ? value : null}
      onChange={(next) => {
        // Years are typed from their first figure on.
        if (next === null || next >= "1970") onDay(next ?? undefined);
      }}
    />
  );
}
