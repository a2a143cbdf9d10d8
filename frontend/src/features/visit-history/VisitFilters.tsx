// Whose visits, and of which days. Days are asked for in the browser's own way, which every phone and screen reader knows.
import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { SearchBox } from "../../ui/list/SearchBox";

interface VisitFiltersProps {
  filters: Record<string, string>;
  onChange: (filters: Record<string, string | undefined>) => void;
}

export function VisitFilters({ filters, onChange }: VisitFiltersProps) {
  const { t } = useTranslation();
  const { from = "", to = "" } = filters;
  const isBackwards = from !== "" && to !== "" && to < from;
  return (
    <search className="visit-filters" aria-label={t("visits.filters")}>
      <SearchBox
        value={filters.username ?? ""}
        placeholder={t("visits.username")}
        onSearch={(username) => onChange({ username: username.trim() || undefined })}
      />
      <Day label={t("visits.from")} value={from} max={to} onDay={(day) => onChange({ from: day })} />
      <Day
        label={t("visits.to")}
        value={to}
        min={from}
        error={isBackwards ? t("visits.backwards") : undefined}
        onDay={(day) => onChange({ to: day })}
      />
    </search>
  );
}

interface DayProps {
  label: string;
  value: string;
  min?: string;
  max?: string;
  error?: string;
  onDay: (day: string | undefined) => void;
}

/** A day that is typed part by part counts once it is whole. */
function Day({ label, value, min, max, error, onDay }: DayProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      type="date"
      label={label}
      value={text}
      min={min || undefined}
      max={max || undefined}
      error={error}
      onChange={(event) => {
        const day = event.currentTarget.value;
        setText(day);
        // Years are typed from their first figure on.
        if (day === "" || day >= "1970") onDay(day || undefined);
      }}
    />
  );
}
