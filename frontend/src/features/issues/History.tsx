// The changes of a report, newest first: user, date, old and new values, and notes.
import { useTranslation } from "react-i18next";
import { Priority } from "../../api/enums/Priority.gen";
import { ReportStatus } from "../../api/enums/ReportStatus.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { Minute } from "./columns";
import { whoOf } from "./lastChange";
import type { HistoryEntry } from "./queries";

export function History({ entries }: { entries: readonly HistoryEntry[] }) {
  const { t } = useTranslation();
  return (
    <ol className="issue-history">
      {[...entries].reverse().map((entry) => (
        <li key={entry.id}>
          <p className="issue-history-head">
            <strong>{whoOf(entry)}</strong>
            <span className="quiet">
              <Minute of={entry.date} />
            </span>
          </p>
          {linesOf(entry).map((line) => (
            <p key={line}>{line}</p>
          ))}
          {entry.note === "" && <p>{t("issues.history.noteRemoved")}</p>}
          {entry.note && <blockquote className="issue-text">{entry.note}</blockquote>}
        </li>
      ))}
    </ol>
  );
}

/** One sentence for each changed field. */
function linesOf(entry: HistoryEntry): string[] {
  if (entry.action === "REPORTED") {
    const status = entry.statusTo && labelOf(ReportStatus, entry.statusTo);
    return [
      entry.statusTo === "REPORTADO" || !status
        ? t("issues.history.reported")
        : t("issues.history.reportedAs", { status }),
    ];
  }
  const lines = [];
  const { statusFrom, statusTo, priorityFrom, priorityTo, assignedFrom, assignedTo } = entry;
  if (statusFrom && statusTo)
    lines.push(
      t("issues.history.status", {
        from: labelOf(ReportStatus, statusFrom),
        to: labelOf(ReportStatus, statusTo),
      }),
    );
  if (priorityFrom && priorityTo)
    lines.push(
      t("issues.history.priority", {
        from: labelOf(Priority, priorityFrom),
        to: labelOf(Priority, priorityTo),
      }),
    );
  if (assignedTo) lines.push(t("issues.history.assigned", { name: assignedTo }));
  else if (assignedFrom) lines.push(t("issues.history.unassigned", { name: assignedFrom }));
  return lines;
}
