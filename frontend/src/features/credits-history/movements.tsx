// How a movement is written: what was done, by how much, who it was, and why.
import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CreditType } from "../../api/enums/CreditType.gen";
import { OperationType } from "../../api/enums/OperationType.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { MovementMarks } from "../../ui/MovementMarks";
import { Dash } from "../../ui/values";
import type { Line, Named } from "./queries";

/** «+3» or «−3», with the sign that numbers have. */
export function signed(amount: number): string {
  return `${amount < 0 ? "−" : "+"}${formatNumber(Math.abs(amount))}`;
}

export function Amount({ of: { amount, reversed } }: { of: Line }) {
  return (
    <strong className="movement-amount" data-adds={amount > 0} data-reversed={reversed || undefined}>
      {signed(amount)}
    </strong>
  );
}

export function Operation({ of: movement }: { of: Line }) {
  return (
    <span className="badges movement-operation">
      {labelOf(OperationType, movement.operationType)}
      <MovementMarks of={movement} />
    </span>
  );
}

/** What is not normal was for sale. */
export function creditTypeOf({ creditType }: Line): string {
  return labelOf(CreditType, creditType === "NORMAL" ? "NORMAL" : "SALE");
}

/** Whose balance the amount and the balance are, where that is not the user of the line. */
export function AccountOf({ of: { accountUser, targetUser } }: { of: Line }) {
  const { t } = useTranslation();
  if (accountUser.username === targetUser.username) return null;
  return (
    <>
      {" "}
      <span className="quiet movement-account">
        {t("creditsHistory.accountOf", { name: accountUser.username })}
      </span>
    </>
  );
}

export function UserName({ of: { fullName, username } }: { of: Named }) {
  return (
    <span className="movement-user">
      {fullName}
      <span className="quiet">{username}</span>
    </span>
  );
}

const longReason = 60;

/** A short reason is shown whole; a long one is folded. */
export function Reason({ of: reason }: { of: string | null }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (!reason) return <Dash />;
  const isLong = [...reason].length > longReason || reason.includes("\n");
  return (
    <div className="movement-reason">
      <span data-folded={(isLong && !isOpen) || undefined}>{reason}</span>
      {isLong && (
        <UnstyledButton className="movement-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t("creditsHistory.less") : t("creditsHistory.more")}
        </UnstyledButton>
      )}
    </div>
  );
}
