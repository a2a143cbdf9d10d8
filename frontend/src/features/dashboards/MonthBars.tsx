// One number a month as bars over labelled axes. A picture: whoever cannot see it has the table beside it.
import { useTranslation } from "react-i18next";
import { formatMonth, formatNumber } from "../../i18n/formats";
import { heightOf, scaleOf } from "./scale";

/** Longer numbers do not fit above the bars of a phone; there the axis speaks. */
const longest = 999;

interface MonthBarsProps {
  label: string;
  /** Oldest first; the last is the month that is still going on. */
  values: readonly { month: string; value: number }[];
}

export function MonthBars({ label, values }: MonthBarsProps) {
  const { t } = useTranslation();
  const scale = scaleOf(values.map(({ value }) => value));
  const zero = heightOf(0, scale);
  const total = values.reduce((sum, { value }) => sum + value, 0);
  const isEmpty = values.every(({ value }) => value === 0);
  return (
    <figure className="bars">
      <figcaption>
        <h3>{label}</h3>
        <span className="quiet tabular">
          {isEmpty
            ? t("dashboards.months.none")
            : t("dashboards.months.total", { number: formatNumber(total) })}
        </span>
      </figcaption>
      <div className="bars-plot" data-dense={scale.max > longest || undefined} aria-hidden="true">
        {scale.ticks.map((tick) => (
          <span
            key={tick}
            className="bars-tick tabular"
            data-zero={tick === 0 || undefined}
            style={{ bottom: `${heightOf(tick, scale)}%` }}
          >
            {formatNumber(tick)}
          </span>
        ))}
        <div className="bars-columns">
          {values.map(({ month, value }, index) => {
            const end = heightOf(value, scale);
            const name = formatMonth(month, "long");
            return (
              <span
                key={month}
                className="bars-column"
                data-current={index === values.length - 1 || undefined}
                title={t("dashboards.months.bar", { month: name, number: formatNumber(value) })}
              >
                <span
                  className="bar"
                  data-below={value < 0 || undefined}
                  style={{ bottom: `${Math.min(end, zero)}%`, height: `${Math.abs(end - zero)}%` }}
                >
                  {value !== 0 && <span className="bar-value tabular">{formatNumber(value)}</span>}
                </span>
              </span>
            );
          })}
        </div>
      </div>
      <div className="bars-months" aria-hidden="true">
        {values.map(({ month }) => (
          <span key={month}>
            {formatMonth(month, "short")}
            {month.endsWith("-01") && <b>{month.slice(0, 4)}</b>}
          </span>
        ))}
      </div>
    </figure>
  );
}
