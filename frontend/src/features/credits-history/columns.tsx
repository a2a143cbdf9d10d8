// The columns of the credit history, in the order in which a ledger is read.
import { t } from "../../i18n";
import { formatNumber, formatTime } from "../../i18n/formats";
import type { Column } from "../../ui/list/columns";
import { Moment } from "../../ui/values";
import { Amount, creditTypeOf, Operation, Person, Reason } from "./movements";
import type { Movement } from "./queries";

export function columns(): Column<Movement>[] {
  return [
    {
      key: "targetUser",
      label: t("creditsHistory.fields.targetUser"),
      isIdentity: true,
      render: () => null,
    },
    {
      key: "operationDate",
      label: t("creditsHistory.fields.operationDate"),
      sortable: true,
      onCard: true,
      render: ({ operationDate }) => (
        <span className="movement-date">
          <Moment of={operationDate} /> <span className="quiet tabular">{formatTime(operationDate)}</span>
        </span>
      ),
    },
    {
      key: "operationType",
      label: t("creditsHistory.fields.operationType"),
      onCard: true,
      render: (movement) => <Operation of={movement} />,
    },
    { key: "creditType", label: t("creditsHistory.fields.creditType"), render: creditTypeOf },
    {
      key: "amount",
      label: t("creditsHistory.fields.amount"),
      sortable: true,
      align: "right",
      onCard: true,
      render: (movement) => <Amount of={movement} />,
    },
    {
      key: "balanceBefore",
      label: t("creditsHistory.fields.balanceBefore"),
      align: "right",
      render: ({ balanceBefore }) => formatNumber(balanceBefore),
    },
    {
      key: "balanceAfter",
      label: t("creditsHistory.fields.balanceAfter"),
      align: "right",
      onCard: true,
      render: ({ balanceAfter }) => formatNumber(balanceAfter),
    },
    {
      key: "performedByUser",
      label: t("creditsHistory.fields.performedByUser"),
      onCard: true,
      render: ({ performedByUser }) => <Person of={performedByUser} />,
    },
    {
      key: "reason",
      label: t("creditsHistory.fields.reason"),
      onCard: true,
      render: ({ reason }) => <Reason of={reason} />,
    },
  ];
}
