// A calendar date, written or picked, in the reader's language; kept as the server wants it: 2026-11-20, or the
// moment that the form makes of it.
import { DateInput } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import dayjs from "dayjs";
import "dayjs/locale/es";
import customParseFormat from "dayjs/plugin/customParseFormat";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../i18n";
import type { FieldProps } from "./fieldsOf";
import { useField } from "./useDraftForm";

dayjs.extend(customParseFormat);

interface DateFieldProps extends FieldProps {
  placeholder?: string;
  isFixed?: boolean;
  /** What is kept for the day that was chosen, where that is more than the day. */
  keep?: (day: string | null) => string | null;
}

export function DateField({
  name,
  placeholder = "31/12/2026",
  isFixed,
  keep = (day) => day,
}: DateFieldProps) {
  const { t } = useTranslation();
  const { value, change, input } = useField<string | null>(name);
  return (
    <DateInput
      {...input}
      inputWrapperOrder={["label", "input", "description", "error"]}
      locale={currentLanguage()}
      valueFormat="DD/MM/YYYY"
      placeholder={placeholder}
      disabled={isFixed}
      clearable={!isFixed}
      clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
      highlightToday
      value={value ? dayOf(value) : null}
      onChange={(next) => change(keep(next))}
    />
  );
}

/** The day of a moment, where the reader is. */
export function dayOf(moment: string): string {
  return dayjs(moment).format("YYYY-MM-DD");
}

/** The last moment of a day, where the reader is. */
export function endOf(day: string): string {
  return dayjs(day).endOf("day").toISOString();
}
