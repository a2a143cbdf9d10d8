// A day of the service on which something ends, in relative words («vence mañana»), by word, icon and colour, with the date below.
import { useTranslation } from "react-i18next";
import { formatDaysAhead } from "../i18n/formats";
import { serviceZone } from "../i18n/serviceZone";
import "./deadline.css";
import { AlertIcon, icon } from "./icons";
import { Moment } from "./values";

const ClockIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7v5l3 2" />
  </>,
);

interface DeadlineProps {
  of: string;
  /** «Vence {{when}}» and «Venció {{when}}». */
  ahead: (when: string) => string;
  past: (when: string) => string;
}

const day = 86_400_000;

/** Over, within a week, within a month, or later than matters now. */
function urgencyOf(moment: string, now = Date.now()): "over" | "soon" | "near" | undefined {
  const left = Date.parse(moment) - now;
  if (left < 0) return "over";
  if (left <= 7 * day) return "soon";
  return left <= 31 * day ? "near" : undefined;
}

export function Deadline({ of: moment, ahead, past }: DeadlineProps) {
  useTranslation(); // Dates follow the language.
  const urgency = urgencyOf(moment);
  if (!urgency) return <Moment of={moment} isServiceDay />;
  const Icon = urgency === "over" ? AlertIcon : ClockIcon;
  const when = formatDaysAhead(moment, serviceZone());
  return (
    <span className="deadline" data-urgency={urgency}>
      <span className="deadline-when">
        <Icon size={14} />
        {urgency === "over" ? past(when) : ahead(when)}
      </span>
      <span className="deadline-date">
        <Moment of={moment} isServiceDay />
      </span>
    </span>
  );
}
