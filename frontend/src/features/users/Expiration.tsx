// When a subscription ends: the day, «No Vence», or that it is over already.
import { useTranslation } from "react-i18next";
import { Moment } from "../../ui/values";
import type { PersonRow } from "./people";

export function Expiration({ of }: { of: Pick<PersonRow, "role" | "expirationDate"> }) {
  const { t } = useTranslation();
  const { role, expirationDate } = of;
  const isOver = role.code === "app" && expirationDate !== null && Date.parse(expirationDate) < Date.now();
  return (
    <span className={isOver ? "expired" : undefined}>
      <Moment of={expirationDate} none={t("users.neverExpires")} />
      {isOver && <span className="expired-note">{t("users.expired")}</span>}
    </span>
  );
}
