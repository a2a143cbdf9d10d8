// How a run went, by word and colour, and why it changed nothing.
import { useTranslation } from "react-i18next";
import { RunFault } from "../../api/enums/RunFault.gen";
import { RunState } from "../../api/enums/RunState.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import type { Run } from "./queries";

const tones = {
  WAITING: "gray",
  RUNNING: "blue",
  FINISHED: "green",
  STOPPED: "orange",
  FAILED: "red",
} as const satisfies Record<Run["state"], Tone>;

/** Why a run changed nothing, with the limit that was exceeded. */
export function faultOf({ fault, statusCode, limit, counts }: Run): string {
  if (!fault) return "";
  const text = labelOf(RunFault, fault);
  if (statusCode) return `${text} (HTTP ${statusCode})`;
  if (fault === "TOO_LARGE" && limit) return t("playlists.limit.size", { text, limit: formatNumber(limit) });
  if (fault === "TOO_MANY_ENTRIES" && limit)
    return t("playlists.limit.entries", { text, limit: formatNumber(limit) });
  if (fault === "TOO_MANY_MISSING")
    return t("playlists.lost", { text, lost: formatNumber(counts.lost), inUse: formatNumber(counts.inUse) });
  return text;
}

export function RunBadge({ of: run }: { of: Run }) {
  useTranslation();
  return (
    <ToneBadge tone={tones[run.state]} title={faultOf(run) || undefined}>
      {labelOf(RunState, run.state)}
    </ToneBadge>
  );
}
