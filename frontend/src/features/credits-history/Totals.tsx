// What all operations of the list add up to: for each kind of balance what went in, what went out, and the difference.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CreditType } from "../../api/enums/CreditType.gen";
import { OperationType } from "../../api/enums/OperationType.gen";
import { messageOf } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { ErrorView } from "../../ui/ErrorView";
import type { ListState } from "../../ui/list/useListAddress";
import { signed } from "./movements";
import { ledgerQueries, type Total } from "./queries";

export function Totals({ state }: { state: ListState }) {
  const { t } = useTranslation();
  const totals = useQuery(ledgerQueries.totals(state));
  if (totals.error && !totals.data)
    return (
      <ErrorView
        title={t("creditsHistory.totalsFailed")}
        message={messageOf(totals.error)}
        onRetry={() => void totals.refetch()}
      />
    );
  if (!totals.data || totals.data.length === 0) return null;
  return (
    <section
      className="ledger-totals"
      aria-label={t("creditsHistory.totals")}
      data-stale={totals.isPlaceholderData || undefined}
    >
      {(["NORMAL", "SALE"] as const)
        .map((creditType) => ({
          creditType,
          rows: totals.data.filter((total) => total.creditType === creditType),
        }))
        .filter(({ rows }) => rows.length > 0)
        .map(({ creditType, rows }) => (
          <dl key={creditType}>
            <div className="ledger-net">
              <dt>{t("creditsHistory.net", { type: labelOf(CreditType, creditType) })}</dt>
              <dd className="tabular">{net(rows)}</dd>
            </div>
            {rows.map((total) => (
              <div key={total.operationType}>
                <dt>
                  {labelOf(OperationType, total.operationType)} ({formatNumber(total.operations)})
                </dt>
                <dd className="tabular">{sumOf(total)}</dd>
              </div>
            ))}
          </dl>
        ))}
    </section>
  );
}

function net(rows: readonly Total[]): string {
  const sum = rows.reduce((all, { added, deducted }) => all + added - deducted, 0);
  return sum === 0 ? "0" : signed(sum);
}

/** Stock that was handed out and stock that came in are of one operation type: both are said. */
function sumOf({ added, deducted }: Total): string {
  return [added > 0 && signed(added), deducted > 0 && signed(-deducted)].filter(Boolean).join(" ");
}
