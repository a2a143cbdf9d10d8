// The columns of the list of bulk operations, and those of a file that each stands for.
import { t } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { OperationCounts } from "../../operations/OperationCounts";
import type { Operation } from "../../operations/queries";
import { resourceName } from "../../operations/resources";
import { DayAndTime } from "../../ui/DayAndTime";
import type { Column } from "../../ui/list/columns";
import { Progress } from "./states";

export function operationColumns(): Column<Operation>[] {
  return [
    {
      key: "action",
      label: t("operations.page.action"),
      isIdentity: true,
      inFile: ["id", "resource", "import"],
      render: () => null,
    },
    {
      key: "resource",
      label: t("operations.page.resource"),
      width: "9rem",
      sortable: true,
      isOptional: true,
      render: ({ resource }) => resourceName(resource),
    },
    {
      key: "createdDate",
      label: t("operations.page.createdDate"),
      width: "clamp(7rem, 11vw, 9.5rem)",
      sortable: true,
      onCard: true,
      render: ({ createdDate }) => <DayAndTime of={createdDate} />,
    },
    {
      key: "finishedDate",
      label: t("operations.page.finishedDate"),
      width: "clamp(7rem, 11vw, 9.5rem)",
      sortable: true,
      isOptional: true,
      render: ({ finishedDate }) => <DayAndTime of={finishedDate} />,
    },
    {
      key: "createdBy",
      label: t("operations.page.createdBy"),
      width: "8rem",
      needsRoom: true,
      onCard: true,
      render: ({ createdBy }) => createdBy,
    },
    {
      key: "state",
      label: t("operations.page.state"),
      width: "9rem",
      sortable: true,
      onCard: true,
      inFile: ["total"],
      render: (operation) => <Progress of={operation} />,
    },
    {
      key: "total",
      label: t("operations.page.total"),
      width: "7rem",
      align: "right",
      sortable: true,
      isOptional: true,
      render: ({ total }) => formatNumber(total),
    },
    {
      key: "changed",
      label: t("operations.page.result"),
      width: "clamp(9.5rem, 16vw, 14rem)",
      onCard: true,
      inFile: ["created", "unchanged", "refused", "conflicts", "missing"],
      render: (operation) => <OperationCounts of={operation} />,
    },
  ];
}
