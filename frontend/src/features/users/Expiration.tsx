// When a subscription ends: the day, «No Vence», that it is over, or that it has not started.
import { useTranslation } from "react-i18next";
import { Moment } from "../../ui/values";
import type { PersonRow } from "./people";

/** What stands in the place of a date. */
export function noExpirationKey({ subscription }: Pick<PersonRow, "subscription">) {
  return subscription?.state === "NOT_STARTED" ? "users.notStarted" : "users.neverExpires";
}

export function Expiration({ of }: { of: Pick<PersonRow, "role" | "expirationDate" | "subscription"> }) {
  const { t } = useTranslation();
  const { role, expirationDate } = of;
  const isOver = role.code === "app" && expirationDate !== null && Date.parse(expirationDate) < Date.now();
  return (
    <span className={isOver ? "expired" : undefined}>
      <Moment of={expirationDate} none={t(noExpirationKey(of))} />
      {isOver && <span className="expired-note">{t("users.expired")}</span>}
    </span>
  );
}
