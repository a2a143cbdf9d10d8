// One number a month as bars.
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/formats";
import { formatMonth } from "../../i18n/lazyFormats";
import { Bars } from "../../ui/chart/Bars";

interface MonthBarsProps {
  label: string;
  /** Oldest first; the last is the month that is still going on. */
  values: readonly { month: string; value: number }[];
}

export function MonthBars({ label, values }: MonthBarsProps) {
  const { t } = useTranslation();
  const total = values.reduce((sum, { value }) => sum + value, 0);
  const isEmpty = values.every(({ value }) => value === 0);
  return (
    <Bars
      label={label}
      summary={
        isEmpty ? t("dashboards.months.none") : t("dashboards.months.total", { number: formatNumber(total) })
      }
      isOngoing
      bars={values.map(({ month, value }) => ({
        key: month,
        value,
        title: t("dashboards.months.bar", { month: formatMonth(month, "long"), number: formatNumber(value) }),
        label: formatMonth(month, "short"),
        mark: month.endsWith("-01") ? month.slice(0, 4) : undefined,
      }))}
    />
  );
}
