// Users in the server's own shapes, and what a caller may do with one of them: so that nothing
// is shown that the server would refuse. The server decides, by the same ranks.
import { type Bearer, holds, isAdmin, type Role } from "../../access/permissions";
import type { components } from "../../api/schema.gen";

type Schemas = components["schemas"];

export type User = Schemas["User"];
export type UserRow = Schemas["UserRow"];
export type UserPage = Schemas["UserPage"];
export type NewUser = Schemas["NewUser"];
export type UserEdit = Schemas["UserEdit"];

/** The fields of a user that decide which actions are allowed. */
type Known = Pick<UserRow, "username" | "role" | "status">;

const everybody: readonly Role[] = ["superadmin", "admin", "contentManager", "agent", "app"];

/** Whom each role manages. Whom an agent sees at all (its own users) was decided before. */
const managed: Record<Role, readonly Role[]> = {
  superadmin: everybody,
  admin: everybody.filter((role) => role !== "superadmin"),
  agent: ["agent", "app"],
  contentManager: [],
  app: [],
};

export function managedBy(caller: Bearer): readonly Role[] {
  return managed[caller.roleCode as Role] ?? [];
}

/** User names that differ in case only are the same user. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The roles whose users a caller may meet. */
export function rolesInSight(caller: Bearer): readonly Role[] {
  return isAdmin(caller) ? everybody : managedBy(caller);
}

export interface Allowed {
  edit: boolean;
  credits: boolean;
  history: boolean;
  password: boolean;
  toggle: boolean;
  remove: boolean;
}

export function allowedWith(caller: Bearer, user: Known): Allowed {
  const isSelf = isSame(caller.username, user.username);
  const manages = managedBy(caller).includes(user.role.code);
  const changes = holds(caller, "USER_UPDATE") && manages;
  return {
    edit: changes && (!isSelf || isAdmin(caller)) && !isSuspendedFor(caller, user),
    credits: changes && !isSelf && (user.role.code === "app" || user.role.code === "agent"),
    history: holds(caller, "CREDIT_HISTORY_READ"),
    // An agent's password gives access to its stock: agents reset those of app users only.
    password:
      changes && !isSelf && (isAdmin(caller) || user.role.code === "app") && !isSuspendedFor(caller, user),
    toggle: changes && !isSelf,
    remove: holds(caller, "USER_DELETE") && manages && !isSelf,
  };
}

/** Only admins change suspended users. */
export function isSuspendedFor(caller: Bearer, { status }: Pick<UserRow, "status">): boolean {
  return status === "SUSPENDED" && !isAdmin(caller);
}

/** An app user without credits is not activated once inactive. */
export function needsCreditsToActivate({ role, credits }: Pick<UserRow, "role" | "credits">): boolean {
  return role.code === "app" && credits <= 0;
}
