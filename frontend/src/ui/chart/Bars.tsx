// One number a month or a day as bars over labelled axes. The value of a bar replaces the sum on hover and
// with the arrow keys; a table beside the chart has the same values.
import { type KeyboardEvent, useState } from "react";
import { formatNumber } from "../../i18n/formats";
import "./bars.css";
import { heightOf, type Scale, scaleOf } from "./scale";

/** The most bars with a wide gap between them. */
const roomy = 14;

interface Bar {
  key: string;
  value: number;
  /** The text on hover and on focus. */
  title: string;
  /** The label under the bar; empty where not every bar has space for one. */
  label?: string;
  /** A second label, such as the year, at the bar where it begins. */
  mark?: string;
}

interface BarsProps {
  label: string;
  /** The sum of all bars. */
  summary: string;
  /** Oldest first; if `isOngoing`, the last period is not over. */
  bars: readonly Bar[];
  isOngoing: boolean;
}

export function Bars({ label, summary, bars, isOngoing }: BarsProps) {
  const scale = scaleOf(bars.map(({ value }) => value));
  const last = bars.length - 1;
  const [pointed, setPointed] = useState<number>();
  const current = bars[pointed ?? last];
  const onKeyDown = (event: KeyboardEvent) => {
    const from = pointed ?? last;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setPointed(Math.min(last, Math.max(0, to)));
  };
  return (
    <figure className="bars">
      <figcaption>
        <h3>{label}</h3>
        <span className="quiet tabular" data-pointed={pointed !== undefined || undefined}>
          {pointed === undefined ? summary : current?.title}
        </span>
      </figcaption>
      <div
        className="bars-plot"
        data-crowded={bars.length > roomy || undefined}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={pointed ?? last}
        aria-valuetext={current?.title}
        onFocus={() => setPointed(last)}
        onBlur={() => setPointed(undefined)}
        onKeyDown={onKeyDown}
        onMouseMove={({ target }) => {
          const column = (target as Element).closest<HTMLElement>("[data-index]");
          if (column) setPointed(Number(column.dataset.index));
        }}
        onMouseLeave={() => setPointed(undefined)}
      >
        <Ticks scale={scale} />
        <Columns bars={bars} scale={scale} current={isOngoing ? last : undefined} pointed={pointed} />
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

function Ticks({ scale }: { scale: Scale }) {
  return scale.ticks.map((tick) => (
    <span
      key={tick}
      className="bars-tick tabular"
      data-zero={tick === 0 || undefined}
      style={{ bottom: `${heightOf(tick, scale)}%` }}
    >
      {formatNumber(tick)}
    </span>
  ));
}

interface ColumnsProps {
  bars: readonly Bar[];
  scale: Scale;
  /** The index of the bar whose period is not over. */
  current: number | undefined;
  /** The index of the bar under the pointer or the focus. */
  pointed: number | undefined;
}

function Columns({ bars, scale, current, pointed }: ColumnsProps) {
  const zero = heightOf(0, scale);
  return (
    <div className="bars-columns">
      {bars.map(({ key, value }, index) => {
        const end = heightOf(value, scale);
        return (
          <span
            key={key}
            className="bars-column"
            data-current={index === current || undefined}
            data-pointed={index === pointed || undefined}
            data-index={index}
          >
            <span
              className="bar"
              data-below={value < 0 || undefined}
              style={{ bottom: `${Math.min(end, zero)}%`, height: `${Math.abs(end - zero)}%` }}
            />
          </span>
        );
      })}
    </div>
  );
}
