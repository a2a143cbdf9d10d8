// Of which days, and done by whom.
import { Skeleton } from "@mantine/core";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { SearchBox } from "../../ui/list/SearchBox";
import { seldomShown } from "../../ui/list/seldomShown";

const DayInput = seldomShown(() => import("../../forms/DayInput"));

interface LedgerFiltersProps {
  filters: Record<string, string>;
  /** The list has a search or filters. */
  isFiltered: boolean;
  onChange: (filters: Record<string, string | undefined>) => void;
}

export function LedgerFilters({ filters, isFiltered, onChange }: LedgerFiltersProps) {
  const { t } = useTranslation();
  const { from = "", to = "" } = filters;
  const isBackwards = from !== "" && to !== "" && to < from;
  return (
    <search className="ledger-filters" aria-label={t("creditsHistory.filters")}>
      <SearchBox
        value={filters.performedBy ?? ""}
        placeholder={t("creditsHistory.performedBy")}
        onSearch={(name) => onChange({ performedBy: name.trim() || undefined })}
      />
      <Suspense fallback={<Skeleton h={60} w={180} />}>
        <DayInput
          isFiltered={isFiltered}
          label={t("creditsHistory.from")}
          value={from}
          max={to}
          onDay={(day) => onChange({ from: day })}
        />
        <DayInput
          isFiltered={isFiltered}
          label={t("creditsHistory.to")}
          value={to}
          min={from}
          error={isBackwards ? t("creditsHistory.backwards") : undefined}
          onDay={(day) => onChange({ to: day })}
        />
      </Suspense>
    </search>
  );
}
