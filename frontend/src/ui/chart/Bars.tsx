// One number a month or a day as bars over labelled axes. A picture: whoever cannot see it needs the same as a table
// beside it.
import { formatNumber } from "../../i18n/formats";
import "./bars.css";
import { heightOf, scaleOf } from "./scale";

/** Longer numbers do not fit above the bars of a phone; there the axis speaks. */
const longest = 999;
/** With more bars there is no room for numbers above them. */
const roomForNumbers = 14;

export interface Bar {
  key: string;
  value: number;
  /** What it says when one points at it. */
  title: string;
  /** Under the bar; nothing, where not every bar has room for one. */
  label?: string;
  /** Under the label, where something new begins. */
  mark?: string;
}

interface BarsProps {
  label: string;
  /** What it all comes to. */
  summary: string;
  /** Oldest first; the last is the one that is still going on, if `goesOn`. */
  bars: readonly Bar[];
  goesOn: boolean;
}

export function Bars({ label, summary, bars, goesOn }: BarsProps) {
  const scale = scaleOf(bars.map(({ value }) => value));
  const zero = heightOf(0, scale);
  const isCrowded = bars.length > roomForNumbers;
  return (
    <figure className="bars">
      <figcaption>
        <h3>{label}</h3>
        <span className="quiet tabular">{summary}</span>
      </figcaption>
      <div
        className="bars-plot"
        data-dense={scale.max > longest || undefined}
        data-crowded={isCrowded || undefined}
        aria-hidden="true"
      >
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
          {bars.map(({ key, value, title }, index) => {
            const end = heightOf(value, scale);
            return (
              <span
                key={key}
                className="bars-column"
                data-current={(goesOn && index === bars.length - 1) || undefined}
                title={title}
              >
                <span
                  className="bar"
                  data-below={value < 0 || undefined}
                  style={{ bottom: `${Math.min(end, zero)}%`, height: `${Math.abs(end - zero)}%` }}
                >
                  {value !== 0 && !isCrowded && (
                    <span className="bar-value tabular">{formatNumber(value)}</span>
                  )}
                </span>
              </span>
            );
          })}
        </div>
      </div>
      <div className="bars-months" aria-hidden="true">
        {bars.map(({ key, label: below, mark }) => (
          <span key={key}>
            {below}
            {mark && <b>{mark}</b>}
          </span>
        ))}
      </div>
    </figure>
  );
}
