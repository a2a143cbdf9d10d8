// The columns of the renewals.
import { UserStatus } from "../../api/enums/UserStatus.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber, formatServiceDay } from "../../i18n/formats";
import { Deadline } from "../../ui/Deadline";
import type { Column } from "../../ui/list/columns";
import { ToneBadge } from "../../ui/ToneBadge";
import { Dash, Moment } from "../../ui/values";
import type { Customer } from "./queries";

/** Lists identify rows by a number; the page assigns one to each customer. */
export type ListedCustomer = Customer & { id: number };

/** Shows a status other than active. */
export function StatusNote({ status }: Pick<Customer, "status">) {
  if (status === "ACTIVE") return null;
  return (
    <ToneBadge tone={status === "SUSPENDED" ? "orange" : "gray"}>{labelOf(UserStatus, status)}</ToneBadge>
  );
}

function Ends({ of: moment }: { of: string | null }) {
  if (!moment) return <Moment of={moment} isServiceDay none={t("renewals.neverExpires")} />;
  return (
    <Deadline
      of={moment}
      ahead={(when) => t("renewals.expires", { when })}
      past={(when) => t("renewals.expired", { when })}
    />
  );
}

function Contact({ phoneNumber, email }: Pick<Customer, "phoneNumber" | "email">) {
  if (!phoneNumber && !email) return <Dash />;
  return (
    <span className="renewal-contact">
      {phoneNumber && <span className="tabular">{phoneNumber}</span>}
      {email && (
        <span className="quiet" title={email}>
          {email}
        </span>
      )}
    </span>
  );
}

/** When the customer was contacted last, by whom, and until when renewals leave the customer out. */
function LastContact({ lastContact, snoozedUntil }: Pick<Customer, "lastContact" | "snoozedUntil">) {
  if (!lastContact && !snoozedUntil) return <Dash />;
  return (
    <span className="renewal-contact">
      {lastContact && (
        <span title={lastContact.text ?? undefined}>
          <Moment of={lastContact.contactedOn} />
        </span>
      )}
      {lastContact && <span className="quiet">{lastContact.author}</span>}
      {snoozedUntil && (
        <span className="quiet">{t("renewals.snoozedUntil", { day: formatServiceDay(snoozedUntil) })}</span>
      )}
    </span>
  );
}

export function renewalColumns(): Column<ListedCustomer>[] {
  return [
    {
      key: "fullName",
      label: t("renewals.columns.name"),
      isIdentity: true,
      render: (row) => row.fullName,
    },
    {
      key: "expirationDate",
      label: t("renewals.columns.expirationDate"),
      sortable: true,
      onCard: true,
      width: "clamp(11.5rem, 17vw, 13.5rem)",
      render: (row) => <Ends of={row.expirationDate} />,
    },
    {
      key: "contact",
      label: t("renewals.columns.contact"),
      onCard: true,
      width: "clamp(9.5rem, 20vw, 17rem)",
      render: (row) => <Contact {...row} />,
    },
    {
      key: "lastContact",
      label: t("renewals.columns.lastContact"),
      onCard: true,
      width: "clamp(8.5rem, 14vw, 11rem)",
      needsRoom: true,
      render: (row) => <LastContact {...row} />,
    },
    {
      key: "credits",
      label: t("renewals.columns.credits"),
      align: "right",
      width: "6.5rem",
      needsRoom: true,
      render: (row) => formatNumber(row.credits),
    },
    {
      key: "registeredBy",
      label: t("renewals.columns.registeredBy"),
      isOptional: true,
      width: "9rem",
      render: (row) => row.registeredBy ?? <Dash />,
    },
  ];
}
