// A calendar date, written or picked, in the user's language; stored in the format of the server: 2026-11-20, or what
// the form makes of it. Text that is no date is an error at the field.
import { DateInput } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import "dayjs/locale/es";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../i18n";
import { calendarDay } from "../i18n/lazyFormats";
import { serviceZone } from "../i18n/serviceZone";
import type { FieldProps } from "./fieldProps";
import { isDay } from "./rules";
import { dayExamples, dayFormats, parseDay, Unreadable } from "./typed";
import { useField } from "./useDraftForm";

interface DateFieldProps extends FieldProps {
  placeholder?: string;
  isFixed?: boolean;
  /** What is kept for the day that was chosen, where that is more than the day. */
  keep?: (day: string | null) => string | null;
}

export function DateField({ name, placeholder, isFixed, keep = (day) => day }: DateFieldProps) {
  const { t } = useTranslation();
  const { value, change, input } = useField<string | null | Unreadable>(name);
  const language = currentLanguage();
  const isUnreadable = value instanceof Unreadable;
  const read = (text: string) => {
    const day = parseDay(text);
    if (text.trim() === "") change(keep(null));
    else change(day ? keep(day) : new Unreadable(text, "NOT_A_DATE"));
  };
  return (
    <DateInput
      {...input}
      description={[input.description, t("form.dayHelp")].filter(Boolean).join(" ")}
      inputWrapperOrder={["label", "input", "description", "error"]}
      locale={language}
      valueFormat={dayFormats[language]}
      placeholder={placeholder ?? dayExamples[language]}
      disabled={isFixed}
      clearable={!isFixed}
      clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
      highlightToday
      dateParser={(text) => parseDay(text) ?? null}
      // What was typed stays to be mended; a date is written out when the field is left.
      fixOnBlur={!isUnreadable}
      value={value && !isUnreadable ? dayOf(value) : null}
      onInput={(event) => read(event.currentTarget.value)}
      onChange={(next) => change(keep(next))}
    />
  );
}

/** The day of a timestamp where the service is; a day is itself. */
export function dayOf(value: string): string {
  return isDay(value) ? value : calendarDay(new Date(value), serviceZone());
}
