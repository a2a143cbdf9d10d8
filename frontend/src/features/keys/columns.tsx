// The columns of the list of keys, and the badge of their state.
import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { KeyScope } from "../../api/enums/KeyScope.gen";
import { KeyState } from "../../api/enums/KeyState.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { AlertIcon, CheckIcon, CloseIcon } from "../../ui/icons";
import type { Column } from "../../ui/list/columns";
import { Moment } from "../../ui/values";
import { RevokeIcon } from "./icons";
import type { Key } from "./queries";

const states: Record<Key["state"], { color: string; className: string; icon: ReactNode }> = {
  ACTIVE: { color: "teal", className: "status-on", icon: <CheckIcon size={12} /> },
  EXPIRED: { color: "gray", className: "status-off", icon: <CloseIcon size={12} /> },
  REVOKED: { color: "gray", className: "status-off", icon: <RevokeIcon size={12} /> },
};

export function StateBadge({ state }: { state: Key["state"] }) {
  useTranslation(); // The name follows the language.
  const { icon, ...look } = states[state];
  return (
    <Badge variant="light" leftSection={icon} {...look}>
      {labelOf(KeyState, state)}
    </Badge>
  );
}

/** The key is valid, but its creator is no active admin any more. */
function ReviewBadge() {
  const { t } = useTranslation();
  return (
    <Badge variant="light" color="orange" leftSection={<AlertIcon size={12} />}>
      {t("keys.review.badge")}
    </Badge>
  );
}

/** What it may be used for, as one line. */
export function scopesOf({ scopes }: Pick<Key, "scopes">): string {
  return scopes.map((scope) => labelOf(KeyScope, scope)).join(", ");
}

export function columns(): Column<Key>[] {
  return [
    { key: "name", label: t("keys.fields.name"), isIdentity: true, sortable: true, render: () => null },
    {
      key: "hint",
      label: t("keys.fields.hint"),
      needsRoom: true,
      width: "7.5rem",
      render: ({ hint }) => <code className="key-hint">{hint}…</code>,
    },
    {
      key: "scopes",
      needsRoom: true,
      label: t("keys.fields.scopes"),
      onCard: true,
      width: "20rem",
      render: scopesOf,
    },
    {
      key: "state",
      label: t("keys.fields.state"),
      onCard: true,
      width: "8rem",
      render: ({ state, needsReview }) => (needsReview ? <ReviewBadge /> : <StateBadge state={state} />),
    },
    {
      key: "expiresDate",
      needsRoom: true,
      label: t("keys.fields.expiresDate"),
      width: "8.5rem",
      render: ({ expiresDate }) => <Moment of={expiresDate} none={t("keys.neverExpires")} />,
    },
    {
      key: "lastUsedDate",
      label: t("keys.fields.lastUsedDate"),
      sortable: true,
      onCard: true,
      width: "8.5rem",
      render: ({ lastUsedDate }) => <Moment of={lastUsedDate} none={t("keys.neverUsed")} />,
    },
    {
      key: "calls",
      needsRoom: true,
      label: t("keys.fields.calls"),
      sortable: true,
      align: "right",
      width: "8rem",
      render: ({ calls }) => formatNumber(calls),
    },
  ];
}
