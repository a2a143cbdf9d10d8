// Shows whether an account is active and changes it where that is allowed; a badge where it is not.
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { UserStatus } from "../../api/enums/UserStatus.gen";
import { labelOf } from "../../i18n/enums";
import { confirm } from "../../ui/confirm";
import { StatusSwitch } from "../../ui/StatusSwitch";
import { toast } from "../../ui/toast";
import { UserStatusBadge } from "./badges";
import { notDone, useToggleUser } from "./queries";
import { allowedWith, isSuspendedFor, needsCreditsToActivate, type UserRow } from "./user";

export function StatusControl({ row }: { row: UserRow }) {
  const { t } = useTranslation();
  const caller = useUser();
  const toggle = useToggle();
  if (isSuspendedFor(caller, row))
    return <UserStatusBadge status={row.status} title={t("users.suspended")} />;
  if (!allowedWith(caller, row).toggle) return <UserStatusBadge status={row.status} />;
  return (
    <StatusSwitch
      active={row.status === "ACTIVE"}
      name={t("contents.toggle", { name: row.fullName })}
      label={labelOf(UserStatus, row.status)}
      onChange={() => void toggle(row)}
    />
  );
}

function useToggle() {
  const { t } = useTranslation();
  const toggle = useToggleUser();
  return async (row: UserRow) => {
    const { status, fullName: name } = row;
    const needsCredits = needsCreditsToActivate(row);
    if (status === "INACTIVE" && needsCredits)
      return toast.failure(notDone(status, name), t("users.withoutCredits"));
    // One change at a time: the second press would cross the first one's answer.
    if (toggle.isPending) return;
    const goesAhead =
      status !== "ACTIVE" ||
      !needsCredits ||
      (await confirm({
        title: t("users.deactivateTitle", { name }),
        consequence: t("users.deactivateConsequence"),
        verb: t("users.deactivateVerb"),
      }));
    if (goesAhead) toggle.mutate(row);
  };
}
