// The runs of a source, newest first: when each was, by whom it was begun, and what came of it.
import { useTranslation } from "react-i18next";
import { ApplyFault } from "../../api/enums/ApplyFault.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { DayAndTime } from "../../ui/DayAndTime";
import { Dialog } from "../../ui/Dialog";
import type { Run } from "./queries";
import { faultOf, RunBadge } from "./RunBadge";

export default function RunsDialog({ runs, onClose }: { runs: readonly Run[]; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog title={t("playlists.runs.title")} onClose={onClose} size="lg">
      {runs.length === 0 && <p className="quiet">{t("playlists.never")}</p>}
      <ul className="playlist-runs">
        {runs.map((run) => (
          <li key={run.id}>
            <span className="playlist-badges">
              <RunBadge of={run} /> <DayAndTime of={run.createdDate} />
              <span className="quiet">{run.createdBy ?? t("playlists.runs.scheduled")}</span>
              {run.fileName && <span className="quiet">{run.fileName}</span>}
            </span>
            <span>{faultOf(run) || <Outcome of={run} />}</span>
            {run.applyFault && (
              <span>
                {t("playlists.notApplied")}: {labelOf(ApplyFault, run.applyFault)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Outcome({ of: { state, counts } }: { of: Run }) {
  const { t } = useTranslation();
  if (state !== "FINISHED") return null;
  const text = (["new", "changed", "unchanged", "missing"] as const)
    .map((name) => t(`playlists.counts.${name}`, { count: counts[name], number: formatNumber(counts[name]) }))
    .join(" · ");
  return <span className="quiet">{t("playlists.runs.since", { text })}</span>;
}
