// How the parts of a visit are written: what was watched, and the device in a few words with all of them on hover.
import { WatchedType } from "../../api/enums/WatchedType.gen";
import { labelOf } from "../../i18n/enums";
import { Dash } from "../../ui/values";
import { deviceName } from "./devices";
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
