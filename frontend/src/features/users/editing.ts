// The fields that the signed-in user may change: never their own role and status; agents no roles and no dates.
import { isAdmin, type Role } from "../../access/permissions";
import { useUser } from "../../access/session";
import { UserStatus } from "../../api/enums/UserStatus.gen";
import type { ObjectRule } from "../../api/rule";
import { rules } from "../../api/rules.gen";
import type { EnumLabels } from "../../i18n/enums";
import { isSame, managedBy, type User } from "./user";

export interface EditableFields {
  setsRole: boolean;
  setsStatus: boolean;
  setsExpiration: boolean;
  /** Whether the registrar may be changed. */
  setsRegistrar: boolean;
  /** The roles that may be chosen. */
  roles: readonly Role[];
  /** The statuses that may be chosen: suspending is for admins. */
  statuses: EnumLabels;
}

export function useEditableFields({ username }: User): EditableFields {
  const caller = useUser();
  const isSelf = isSame(caller.username, username);
  return {
    setsRole: isAdmin(caller) && !isSelf,
    setsStatus: !isSelf,
    setsExpiration: isAdmin(caller),
    setsRegistrar: isAdmin(caller) && !isSelf,
    roles: managedBy(caller),
    statuses: isAdmin(caller) ? UserStatus : ownStatuses,
  };
}

const { SUSPENDED: _, ...ownStatuses } = UserStatus;

/** What may not be changed of a subscription or of its place is not sent: the server leaves it as it is. */
export function editRule({ setsExpiration, setsRegistrar }: EditableFields): ObjectRule {
  const { expirationDate, subscription, registeredBy, ...others } = rules.UserEdit.properties;
  return {
    ...rules.UserEdit,
    properties: {
      ...others,
      ...(setsExpiration && { expirationDate, subscription }),
      ...(setsRegistrar && { registeredBy }),
    },
  };
}
