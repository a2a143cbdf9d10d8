// The columns of the credit history, in the order in which a ledger is read: when, whose, what, how much, what is left,
// by whom, why. All but the reason have a width of their own.
import { t } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { DayAndTime } from "../../ui/DayAndTime";
import type { Column } from "../../ui/list/columns";
import { AccountOf, Amount, creditTypeOf, Operation, Reason, UserName } from "./movements";
import type { Line } from "./queries";

function BalanceAfter({ of: line }: { of: Line }) {
  return (
    <>
      {formatNumber(line.balanceAfter)}
      <AccountOf of={line} />
    </>
  );
}

export function columns(): Column<Line>[] {
  return [
    {
      key: "operationDate",
      label: t("creditsHistory.fields.operationDate"),
      width: "6.5rem",
      sortable: true,
      onCard: true,
      render: ({ operationDate }) => <DayAndTime of={operationDate} />,
    },
    {
      key: "targetUser",
      label: t("creditsHistory.fields.targetUser"),
      isIdentity: true,
      width: "8.75rem",
      render: () => null,
    },
    {
      key: "operationType",
      label: t("creditsHistory.fields.operationType"),
      width: "clamp(9.5rem, 15.5vw, 15.5rem)",
      onCard: true,
      render: (movement) => <Operation of={movement} />,
    },
    {
      key: "creditType",
      label: t("creditsHistory.fields.creditType"),
      width: "5rem",
      needsRoom: true,
      render: creditTypeOf,
    },
    {
      key: "amount",
      label: t("creditsHistory.fields.amount"),
      width: "clamp(5.25rem, 7.5vw, 6.5rem)",
      sortable: true,
      align: "right",
      onCard: true,
      render: (movement) => <Amount of={movement} />,
    },
    {
      key: "balanceBefore",
      label: t("creditsHistory.fields.balanceBefore"),
      width: "6.5rem",
      needsRoom: true,
      align: "right",
      render: ({ balanceAfter, amount }) => formatNumber(balanceAfter - amount),
    },
    {
      key: "balanceAfter",
      label: t("creditsHistory.fields.balanceAfter"),
      width: "clamp(6.5rem, 9vw, 8.5rem)",
      align: "right",
      onCard: true,
      render: (line) => <BalanceAfter of={line} />,
    },
    {
      key: "performedByUser",
      label: t("creditsHistory.fields.performedByUser"),
      width: "9rem",
      needsRoom: true,
      onCard: true,
      render: ({ performedByUser }) => <UserName of={performedByUser} />,
    },
    {
      key: "reason",
      label: t("creditsHistory.fields.reason"),
      needsRoom: true,
      onCard: true,
      render: ({ reason }) => <Reason of={reason} />,
    },
  ];
}
