// The columns of the users list.
import { t } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import type { Column } from "../../ui/list/columns";
import { Dash, Moment } from "../../ui/values";
import { CreditsBadge, RoleBadge } from "./badges";
import { Expiration } from "./Expiration";
import { StatusControl } from "./StatusControl";
import type { UserRow } from "./user";

/** The list identifies rows by an id; a user's is the user name. */
export type ListedUser = UserRow & { id: string };

export function userColumns(): Column<ListedUser>[] {
  return [
    {
      key: "fullName",
      label: t("users.columns.name"),
      isIdentity: true,
      sortable: true,
      render: (row) => row.fullName,
    },
    {
      key: "role",
      label: t("users.columns.role"),
      sortable: true,
      onCard: true,
      width: "11rem",
      needsRoom: true,
      render: (row) => <RoleBadge role={row.role.code} />,
    },
    {
      key: "credits",
      label: t("users.columns.credits"),
      inFile: ["saleCredits"],
      sortable: true,
      onCard: true,
      align: "right",
      width: "clamp(6rem, 9vw, 7rem)",
      render: (row) => <CreditsBadge of={row} />,
    },
    {
      key: "expirationDate",
      label: t("users.columns.expirationDate"),
      sortable: true,
      onCard: true,
      width: "clamp(9.5rem, 17vw, 13.5rem)",
      render: (row) => <Expiration of={row} />,
    },
    {
      key: "signIns",
      label: t("users.columns.signIns"),
      sortable: true,
      align: "right",
      width: "6.5rem",
      needsRoom: true,
      render: (row) => formatNumber(row.signIns),
    },
    {
      key: "status",
      label: t("users.columns.status"),
      sortable: true,
      onCard: true,
      width: "clamp(5.5rem, 12vw, 10rem)",
      render: (row) => <StatusControl row={row} />,
    },
    {
      key: "createdDate",
      label: t("users.columns.createdDate"),
      sortable: true,
      width: "8.5rem",
      needsRoom: true,
      render: (row) => <Moment of={row.createdDate} />,
    },
    {
      key: "registeredBy",
      label: t("users.columns.registeredBy"),
      isOptional: true,
      width: "9rem",
      render: (row) => row.registeredBy ?? <Dash />,
    },
  ];
}
