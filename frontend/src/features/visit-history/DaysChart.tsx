// The chart of sign-ins and visits by day, each with its own axis, and both as a table for screen readers. The last thirty
// days by default.
import { Alert, Button, Skeleton } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf, Problem } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import { formatDayOfMonth, formatLongDay } from "../../i18n/lazyFormats";
import { Bars } from "../../ui/chart/Bars";
import { AlertIcon } from "../../ui/icons";
import { type Day, visitQueries } from "./queries";

const series = ["signIns", "visits"] as const;

export function DaysChart({ filters }: { filters: Record<string, string> }) {
  const { t } = useTranslation();
  const days = useQuery(visitQueries.perDay(filters));
  const shown = series.filter((one) => !filters.kind || (filters.kind === "SIGN_IN") === (one === "signIns"));
  const isNarrowed = Boolean(filters.from || filters.to);
  return (
    <section
      className="visits-chart"
      aria-label={t("visits.chart.title")}
      aria-busy={days.isPending || days.isPlaceholderData}
      data-stale={days.isPlaceholderData || undefined}
    >
      <h2>{isNarrowed ? t("visits.chart.title") : t("visits.chart.lately")}</h2>
      {days.error && !days.isPlaceholderData ? (
        <Alert
          color={isTooLong(days.error) ? "blue" : "red"}
          icon={<AlertIcon />}
          title={isTooLong(days.error) ? t("visits.chart.tooLong") : t("visits.chart.failed")}
        >
          {isTooLong(days.error) ? t("visits.chart.tooLongHelp") : messageOf(days.error)}{" "}
          {!isTooLong(days.error) && (
            <Button size="compact-xs" variant="default" onClick={() => void days.refetch()}>
              {t("common.retry")}
            </Button>
          )}
        </Alert>
      ) : (
        <>
          <div className="visits-bars" data-single={shown.length === 1 || undefined}>
            {shown.map((one) =>
              days.data ? <DayBars key={one} of={one} days={days.data} /> : <Skeleton key={one} h={192} />,
            )}
          </div>
          {days.data ? <DaysTable days={days.data} /> : <Skeleton h={21} w="14rem" />}
        </>
      )}
    </section>
  );
}

/** Whether the range has more days than the chart can show; the list has no such limit. */
function isTooLong(error: unknown): boolean {
  return (
    error instanceof Problem &&
    error.violations.some(({ field, code }) => field === "to" && code === "TOO_LARGE")
  );
}

/** The labels that fit under a chart on a phone. */
const names = 6;

function DayBars({ of, days }: { of: (typeof series)[number]; days: readonly Day[] }) {
  const { t } = useTranslation();
  const total = days.reduce((sum, day) => sum + day[of], 0);
  const step = Math.max(1, Math.ceil(days.length / names));
  // The last day has a label, and every n-th day before it.
  const isNamed = (index: number) => (days.length - 1 - index) % step === 0;
  return (
    <Bars
      label={t(`visits.chart.${of}`)}
      summary={
        total === 0 ? t("visits.chart.none") : t("visits.chart.total", { number: formatNumber(total) })
      }
      isOngoing={false}
      bars={days.map((day, index) => ({
        key: day.day,
        value: day[of],
        title: t("visits.chart.bar", { day: formatLongDay(day.day), number: formatNumber(day[of]) }),
        label: isNamed(index) ? formatDayOfMonth(day.day) : undefined,
      }))}
    />
  );
}

function DaysTable({ days }: { days: readonly Day[] }) {
  const { t } = useTranslation();
  return (
    <details className="visits-table">
      <summary>{t("visits.chart.table")}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("visits.chart.day")}</th>
            {series.map((one) => (
              <th key={one} scope="col">
                {t(`visits.chart.${one}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.day}>
              <th scope="row">{formatLongDay(day.day)}</th>
              {series.map((one) => (
                <td key={one}>{formatNumber(day[one])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
