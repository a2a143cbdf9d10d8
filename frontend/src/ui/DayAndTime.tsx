// A day and the time of it, as lists and cards show a moment.
import { formatTime } from "../i18n/formats";
import "./day-and-time.css";
import { Dash, Moment } from "./values";

/** The exact moment is shown on hover. */
export function DayAndTime({ of: moment }: { of: string | null | undefined }) {
  if (!moment) return <Dash />;
  return (
    <span className="day-and-time">
      <Moment of={moment} /> <span className="quiet tabular">{formatTime(moment)}</span>
    </span>
  );
}
