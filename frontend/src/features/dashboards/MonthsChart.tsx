// The last twelve months: who registered and what was sold, each on an axis of its own, and both as a table for who
// reads rather than looks.
import { Skeleton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/formats";
import { formatMonth } from "../../i18n/lazyFormats";
import { MonthBars } from "./MonthBars";
import { Panel } from "./Panel";
import type { Month } from "./queries";
import "./months.css";

export function MonthsChart({ months }: { months: readonly Month[] | undefined }) {
  const { t } = useTranslation();
  return (
    <Panel title={t("dashboards.months.title")} help={t("dashboards.months.help")}>
      <div className="months">
        {(["registrations", "creditsSold"] as const).map((series) =>
          months ? (
            <MonthBars
              key={series}
              label={t(`dashboards.months.${series}`)}
              values={months.map((one) => ({ month: one.month, value: one[series] }))}
            />
          ) : (
            <Skeleton key={series} className="bars" />
          ),
        )}
      </div>
      {months ? <MonthsTable months={months} /> : <Skeleton h={21} w="14rem" />}
    </Panel>
  );
}

function MonthsTable({ months }: { months: readonly Month[] }) {
  const { t } = useTranslation();
  return (
    <details className="months-table">
      <summary>{t("dashboards.months.table")}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("dashboards.months.month")}</th>
            <th scope="col">{t("dashboards.months.registrations")}</th>
            <th scope="col">{t("dashboards.months.creditsSold")}</th>
          </tr>
        </thead>
        <tbody>
          {months.map(({ month, registrations, creditsSold }, index) => {
            const name = formatMonth(month, "long");
            return (
              <tr key={month}>
                <th scope="row">
                  {index === months.length - 1 ? t("dashboards.months.current", { month: name }) : name}
                </th>
                <td>{formatNumber(registrations)}</td>
                <td>{formatNumber(creditsSold)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}
