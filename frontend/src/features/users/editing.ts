// What of somebody the person at the panel may change: nobody their own role and status, agents no roles and no dates.
import { isAdmin } from "../../access/permissions";
import { useUser } from "../../access/session";
import { rules } from "../../api/rules.gen";
import type { ObjectRule } from "../../forms/rules";
import { isSame, type Person } from "./people";

export interface Standing {
  setsRole: boolean;
  setsStatus: boolean;
  setsExpiration: boolean;
}

export function useStanding({ username }: Person): Standing {
  const caller = useUser();
  const isSelf = isSame(caller.username, username);
  return {
    setsRole: isAdmin(caller) && !isSelf,
    setsStatus: !isSelf,
    setsExpiration: isAdmin(caller),
  };
}

/** An expiration that may not be changed is not sent: the server leaves it as it is. */
export function editRule({ setsExpiration }: Standing): ObjectRule {
  const { expirationDate, ...properties } = rules.UserEdit.properties;
  return { ...rules.UserEdit, properties: setsExpiration ? { ...properties, expirationDate } : properties };
}
