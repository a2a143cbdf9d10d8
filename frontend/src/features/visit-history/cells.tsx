// Cells of a visit: the content, and the device in short, with the full text on hover.
import { WatchedType } from "../../api/enums/WatchedType.gen";
import { labelOf } from "../../i18n/enums";
import { formatMoment } from "../../i18n/formats";
import { formatDaysAhead } from "../../i18n/lazyFormats";
import { deviceName } from "../../ui/deviceName";
import { Dash, Moment } from "../../ui/values";
import type { Visit } from "./queries";

export function ContentOf({ content }: { content: Visit["content"] }) {
  if (!content) return <Dash />;
  const { contentType, contentId, title } = content;
  const type = labelOf(WatchedType, contentType);
  const name = title ?? (contentId ? `#${contentId}` : undefined);
  return (
    <span className="visit-content">
      {name ?? type}
      {name && <span className="quiet">{type}</span>}
    </span>
  );
}

export function DeviceOf({ device }: { device: string | null }) {
  if (!device) return <Dash />;
  return (
    <span className="visit-device" title={device}>
      {deviceName(device)}
    </span>
  );
}

const week = 7 * 86_400_000;

/** «hoy», «ayer», «hace 3 días»; older ones by their date. The exact time is on hover. */
export function RecentDay({ of: moment }: { of: string }) {
  if (Date.now() - Date.parse(moment) > week) return <Moment of={moment} />;
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="recent-day">
      {formatDaysAhead(moment)}
    </time>
  );
}
