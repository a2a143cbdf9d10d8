// Badges of a user, by word, colour and shape: role, credits, status.
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { lowStock } from "../../access/lowStock";
import { RoleCode } from "../../api/enums/RoleCode.gen";
import { UserStatus } from "../../api/enums/UserStatus.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { AlertIcon, CheckIcon, CloseIcon } from "../../ui/icons";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { Dash } from "../../ui/values";
import { LimitIcon, SuspendedIcon } from "./icons";
import type { UserRow } from "./user";

const roleTones: Record<UserRow["role"]["code"], Tone> = {
  superadmin: "violet",
  admin: "blue",
  agent: "cyan",
  contentManager: "orange",
  app: "gray",
};

export function RoleBadge({ role }: { role: UserRow["role"]["code"] }) {
  useTranslation(); // The name follows the language.
  return <ToneBadge tone={roleTones[role] ?? "gray"}>{labelOf(RoleCode, role)}</ToneBadge>;
}

const statuses: Record<UserRow["status"], { tone: Tone; icon: ReactNode }> = {
  ACTIVE: { tone: "green", icon: <CheckIcon size={12} /> },
  INACTIVE: { tone: "gray", icon: <CloseIcon size={12} /> },
  SUSPENDED: { tone: "orange", icon: <SuspendedIcon size={12} /> },
};

interface UserStatusBadgeProps {
  status: UserRow["status"];
  /** Why it is not changed here. */
  title?: string;
}

export function UserStatusBadge({ status, title }: UserStatusBadgeProps) {
  useTranslation();
  return (
    <ToneBadge {...statuses[status]} title={title}>
      {labelOf(UserStatus, status)}
    </ToneBadge>
  );
}

/** Below it credits are low, at it they are about to be: one month for app users, a dozen to sell for agents. */
const limits: Partial<Record<UserRow["role"]["code"], number>> = { app: 1, agent: lowStock };

const levels = {
  low: { tone: "red", icon: <AlertIcon size={12} /> },
  limit: { tone: "yellow", icon: <LimitIcon size={12} /> },
  fine: { tone: "green", icon: <CheckIcon size={12} /> },
} as const;

function levelOf(credits: number, limit: number): keyof typeof levels {
  if (credits === limit) return "limit";
  return credits < limit ? "low" : "fine";
}

/** What app users have, what agents have to sell; others have neither. */
export function CreditsBadge({ of }: { of: Pick<UserRow, "role" | "credits" | "saleCredits"> }) {
  const { t } = useTranslation();
  const limit = limits[of.role.code];
  if (limit === undefined) return <Dash />;
  const isAgent = of.role.code === "agent";
  const credits = isAgent ? of.saleCredits : of.credits;
  const level = levelOf(credits, limit);
  const meaning = t(`users.level.${level}`);
  return (
    <ToneBadge
      {...levels[level]}
      className="tabular"
      title={`${isAgent ? t("credits.forSale") : t("credits.ofApp")}: ${meaning}`}
    >
      {formatNumber(credits)}
      <span className="visually-hidden"> ({meaning})</span>
    </ToneBadge>
  );
}
