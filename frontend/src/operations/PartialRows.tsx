// Items that an undo restored only in part, with the fields it did not restore.
import { useTranslation } from "react-i18next";
import { messageOf } from "../api/problem";
import type { FieldLabels } from "../history/FieldChanges";
import { formatNumber } from "../i18n/formats";
import { ErrorView } from "../ui/ErrorView";
import { RowList } from "./OperationRows";
import { mostPartial, type Operation } from "./queries";
import { usePartial } from "./usePartial";

/** The most rows that are shown. */
const shown = 50;

export function PartialRows({ operation, ...labels }: { operation: Operation } & FieldLabels) {
  const { t } = useTranslation();
  const { rows, error, refetch } = usePartial(operation);
  if (error)
    return (
      <ErrorView
        title={t("operations.rowsFailed")}
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    );
  if (rows.length === 0) return null;
  return (
    <RowList
      resource={operation.resource}
      title={t("operations.partial", { count: rows.length, number: formatNumber(rows.length) })}
      rows={rows.slice(0, shown)}
      total={rows.length}
      note={
        rows.length === mostPartial
          ? t("operations.partialOf", { number: formatNumber(mostPartial) })
          : undefined
      }
      {...labels}
    />
  );
}
