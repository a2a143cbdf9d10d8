// A day and the time of it, as lists and cards show a moment.
import { formatTime, formatTimeIn } from "../i18n/lazyFormats";
import { serviceZone } from "../i18n/serviceZone";
import "./day-and-time.css";
import { Dash, Moment } from "./values";

interface DayAndTimeProps {
  of: string | null | undefined;
  /** Where the service is, as programmes have it; else where the reader is. */
  inService?: boolean;
}

/** The exact moment is shown on hover. */
export function DayAndTime({ of: moment, inService }: DayAndTimeProps) {
  if (!moment) return <Dash />;
  const zone = inService ? serviceZone() : undefined;
  return (
    <span className="day-and-time">
      <Moment of={moment} isServiceDay={inService} />{" "}
      <span className="quiet tabular">
        {zone ? formatTimeIn(Date.parse(moment), zone) : formatTime(moment)}
      </span>
    </span>
  );
}
