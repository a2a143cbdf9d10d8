// Items of a bulk operation with one verdict: what changed of each, or why it did not.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Verdict as VerdictLabels } from "../api/enums/Verdict.gen";
import { messageOf } from "../api/problem";
import { FieldChanges, type FieldLabels } from "../history/FieldChanges";
import { labelOf } from "../i18n/enums";
import { formatNumber } from "../i18n/formats";
import { ErrorView } from "../ui/ErrorView";
import { countName } from "./OperationCounts";
import "./operations.css";
import { type Operation, type OperationRow, operationQueries, type Verdict } from "./queries";

interface OperationRowsProps extends FieldLabels {
  operation: Operation;
  verdict: Verdict;
  /** How many items have the verdict. */
  total: number;
  /** How many are shown at most. */
  limit: number;
}

export function OperationRows({ operation, verdict, total, limit, ...labels }: OperationRowsProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(operationQueries.rows(operation.id, verdict, limit, total));
  const wouldBe = verdict === "CREATED" ? "created" : verdict === "CHANGED" ? "changed" : undefined;
  const title =
    operation.dryRun && wouldBe
      ? t(`operations.counts.${countName(wouldBe, operation)}`, {
          count: total,
          number: formatNumber(total),
        })
      : `${labelOf(VerdictLabels, verdict)} (${formatNumber(total)})`;
  if (error)
    return (
      <ErrorView
        title={t("operations.rowsFailed")}
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    );
  return <RowList resource={operation.resource} title={title} rows={data} total={total} {...labels} />;
}

interface RowListProps extends FieldLabels {
  /** What the items are, by the path of the API. */
  resource: string;
  title: string;
  rows: readonly OperationRow[] | undefined;
  total: number;
  note?: string;
}

export function RowList({ title, rows, total, note, ...labels }: RowListProps) {
  const { t } = useTranslation();
  return (
    <section aria-label={title}>
      <h3 className="operation-rows-title">{title}</h3>
      <ul className="operation-rows" aria-busy={!rows}>
        {rows?.map((row) => (
          <Row key={row.position} of={row} {...labels} />
        ))}
      </ul>
      {rows && total > rows.length && (
        <p className="quiet">{t("operations.more", { number: formatNumber(total - rows.length) })}</p>
      )}
      {note && <p className="quiet">{note}</p>}
    </section>
  );
}

interface RowProps extends FieldLabels {
  of: OperationRow;
  resource: string;
}

function Row({ of: row, resource, fieldLabel, valueLabel }: RowProps) {
  const { t } = useTranslation();
  const isOfFile = row.sheetRow != null;
  return (
    <li>
      {isOfFile && (
        <span className="quiet tabular">
          {t("operations.sheetRow", { number: formatNumber(row.sheetRow ?? 0) })}
        </span>
      )}
      <strong>{row.title || (isOfFile ? "—" : `#${row.itemId}`)}</strong>
      <FieldChanges
        resource={resource}
        before={row.before}
        after={row.after}
        fieldLabel={fieldLabel}
        valueLabel={valueLabel}
      />
      {row.problems.map((problem) => (
        <span key={`${problem.field} ${problem.code}`} className="operation-problem">
          {problem.field === ""
            ? problem.message
            : `${problem.column ?? fieldLabel(problem.field)}: ${problem.message}`}
        </span>
      ))}
    </li>
  );
}
