// What users are to the panel, in the server's own shapes, and what a caller may do with one of them: so that nothing
// is shown that the server would refuse. The server decides, by the same ranks.
import { type Bearer, holds, isAdmin, type Role } from "../../access/permissions";
import type { components } from "../../api/schema.gen";

type Schemas = components["schemas"];

export type Person = Schemas["User"];
export type PersonRow = Schemas["UserRow"];
export type PersonPage = Schemas["UserPage"];
export type NewPerson = Schemas["NewUser"];
export type PersonEdit = Schemas["UserEdit"];

/** Enough of a person to know what may be done with them. */
type Known = Pick<PersonRow, "username" | "role" | "status">;

const everybody: readonly Role[] = ["superadmin", "admin", "contentManager", "agent", "app"];

/** Whom each role manages. Whom an agent sees at all (its own people) was decided before. */
const managed: Record<Role, readonly Role[]> = {
  superadmin: everybody,
  admin: everybody.filter((role) => role !== "superadmin"),
  agent: ["agent", "app"],
  contentManager: [],
  app: [],
};

/** User names that differ in case only are the same person. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The roles whose people a caller may meet. */
export function rolesInSight(caller: Bearer): readonly Role[] {
  return isAdmin(caller) ? everybody : (managed[caller.roleCode as Role] ?? []);
}

export interface Allowed {
  edit: boolean;
  credits: boolean;
  history: boolean;
  password: boolean;
  toggle: boolean;
  remove: boolean;
}

export function allowedWith(caller: Bearer, person: Known): Allowed {
  const isSelf = isSame(caller.username, person.username);
  const manages = managed[caller.roleCode as Role]?.includes(person.role.code) ?? false;
  const changes = holds(caller, "USER_UPDATE") && manages;
  return {
    edit: changes && (!isSelf || isAdmin(caller)) && !isSuspendedFor(caller, person),
    credits: changes && !isSelf && (person.role.code === "app" || person.role.code === "agent"),
    history: holds(caller, "CREDIT_HISTORY_READ"),
    // Who knows an agent's password could sell its stock: agents reset those of app users only.
    password:
      changes &&
      !isSelf &&
      (isAdmin(caller) || person.role.code === "app") &&
      !isSuspendedFor(caller, person),
    toggle: changes && !isSelf,
    remove: holds(caller, "USER_DELETE") && manages && !isSelf,
  };
}

/** Only admins change who is suspended. */
export function isSuspendedFor(caller: Bearer, { status }: Pick<PersonRow, "status">): boolean {
  return status === "SUSPENDED" && !isAdmin(caller);
}

/** An app user without credits is not activated once inactive. */
export function needsCreditsToActivate({ role, credits }: Pick<PersonRow, "role" | "credits">): boolean {
  return role.code === "app" && credits <= 0;
}
