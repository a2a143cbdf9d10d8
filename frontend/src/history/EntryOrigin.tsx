// Who made a change, and from where.
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isAdmin } from "../access/permissions";
import { useUser } from "../access/session";
import { Source } from "../api/enums/Source.gen";
import type { AuditEntry } from "../api/resourceItems";
import { labelOf } from "../i18n/enums";
import { operationPath } from "./operationPath";

export function EntryOrigin({ of: { actor, source, address, operationId } }: { of: AuditEntry }) {
  const { t } = useTranslation();
  const reader = useUser();
  // Others than admins read their own operations.
  const mayOpen = isAdmin(reader) || actor === reader.username;
  const operation = operationId !== null && t("history.operation", { id: operationId });
  const words = labelOf(Source, source);
  return (
    <span className="entry-origin">
      {actor ?? words}
      {actor && operationId === null && <span className="quiet"> · {words}</span>}
      {operationId !== null && (
        <span className="quiet tabular">
          {" · "}
          {mayOpen ? <Link to={operationPath(operationId)}>{operation}</Link> : operation}
        </span>
      )}
      {address && <span className="quiet tabular"> · {address}</span>}
    </span>
  );
}
