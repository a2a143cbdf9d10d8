// When a subscription ends: how near it is with the day, «No Vence», or that it has not started.
import { useTranslation } from "react-i18next";
import { Deadline } from "../../ui/Deadline";
import { Moment } from "../../ui/values";
import type { UserRow } from "./user";

/** What is in the place of a date. */
export function noExpirationKey({ subscription }: Pick<UserRow, "subscription">) {
  return subscription?.state === "NOT_STARTED" ? "users.notStarted" : "users.neverExpires";
}

export function Expiration({ of }: { of: Pick<UserRow, "role" | "expirationDate" | "subscription"> }) {
  const { t } = useTranslation();
  const { role, expirationDate } = of;
  if (!expirationDate || role.code !== "app")
    return <Moment of={expirationDate} isServiceDay none={t(noExpirationKey(of))} />;
  return (
    <Deadline
      of={expirationDate}
      ahead={(when) => t("users.expires", { when })}
      past={(when) => t("users.expired", { when })}
    />
  );
}
