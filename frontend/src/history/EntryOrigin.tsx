// Who made a change, and from where.
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../api/resourceItems";

export function EntryOrigin({ of: entry }: { of: AuditEntry }) {
  const { t } = useTranslation();
  const who = entry.actor ?? (entry.source === "IMPORT" ? t("history.byImport") : t("history.byServer"));
  const where =
    entry.operationId !== null ? t("history.operation", { id: entry.operationId }) : entry.address;
  return (
    <span className="entry-origin">
      {who}
      {where && <span className="quiet tabular"> · {where}</span>}
    </span>
  );
}
