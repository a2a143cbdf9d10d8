// Whose visits, and of which days.
import { Skeleton } from "@mantine/core";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { SearchBox } from "../../ui/list/SearchBox";
import { seldomShown } from "../../ui/list/seldomShown";

const DayInput = seldomShown(() => import("../../forms/DayInput"));

interface VisitFiltersProps {
  filters: Record<string, string>;
  /** The list has a search or filters. */
  isFiltered: boolean;
  onChange: (filters: Record<string, string | undefined>) => void;
}

export function VisitFilters({ filters, isFiltered, onChange }: VisitFiltersProps) {
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
      <Suspense fallback={<Skeleton h={60} w={180} />}>
        <DayInput
          isFiltered={isFiltered}
          label={t("visits.from")}
          value={from}
          max={to}
          onDay={(day) => onChange({ from: day })}
        />
        <DayInput
          isFiltered={isFiltered}
          label={t("visits.to")}
          value={to}
          min={from}
          error={isBackwards ? t("visits.backwards") : undefined}
          onDay={(day) => onChange({ to: day })}
        />
      </Suspense>
    </search>
  );
}
