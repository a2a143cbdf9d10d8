// A calendar date on its own, outside of a form: written or picked, in the reader's language. Heavy, so whoever shows it
// fetches it when needed.
import { DateInput } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import "dayjs/locale/es";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage, textAt } from "../i18n";
import { dayExamples, dayFormats, parseDay } from "./typed";

interface DayInputProps {
  label: string;
  /** 2026-11-20, or nothing. */
  value: string;
  min?: string;
  max?: string;
  error?: string;
  /** The calendar is a part of the panel that this field is in: a click on it is none outside of the panel. */
  isInPanel?: boolean;
  /** The list has a search or filters: once they are removed, so is what can't be read. */
  isFiltered?: boolean;
  onDay: (day: string | undefined) => void;
}

const day = /^\d{4}-\d{2}-\d{2}$/;

export default function DayInput(props: DayInputProps) {
  const { label, value, min, max, error, isInPanel, isFiltered = false, onDay } = props;
  const { t } = useTranslation();
  const language = currentLanguage();
  const [typed, setTyped] = useState("");
  const [isUnreadable, setUnreadable] = useState(false);
  const [wasFiltered, setWasFiltered] = useState(isFiltered);
  const [clearings, setClearings] = useState(0);
  if (wasFiltered !== isFiltered) {
    setWasFiltered(isFiltered);
    if (!isFiltered && isUnreadable) {
      setUnreadable(false);
      setClearings(clearings + 1);
    }
  }
  const take = (next: string | undefined) => {
    setUnreadable(false);
    onDay(next);
  };
  return (
    <DateInput
      // The library keeps a text that is no day: only another field is empty.
      key={clearings}
      className="day-input"
      label={label}
      description={textAt("list.dayFormat")}
      inputWrapperOrder={["label", "input", "description", "error"]}
      locale={language}
      valueFormat={dayFormats[language]}
      placeholder={dayExamples[language]}
      clearable
      clearButtonProps={{ "aria-label": t("common.clear", { field: label }) }}
      highlightToday
      popoverProps={isInPanel ? { withinPortal: false } : undefined}
      minDate={min || undefined}
      maxDate={max || undefined}
      error={isUnreadable ? textAt("list.notADay") : error}
      // A value of the address may be anything.
      value={day.test(value) ? value : null}
      // A year of two digits may be the beginning of a longer one: it counts when the field is left.
      dateParser={(text) => (/\d{4}/.test(text) ? (parseDay(text) ?? null) : null)}
      // What can't be read stays to be corrected.
      fixOnBlur={!isUnreadable && (typed.trim() === "" || parseDay(typed) !== undefined)}
      onInput={(event) => {
        setTyped(event.currentTarget.value);
        setUnreadable(false);
      }}
      onBlur={() => {
        const text = typed.trim();
        setTyped("");
        if (text === "") return;
        const read = parseDay(text);
        if (!read) return setUnreadable(true);
        if (read !== value) take(read);
      }}
      onChange={(next) => {
        setTyped("");
        take(next ?? undefined);
      }}
    />
  );
}
