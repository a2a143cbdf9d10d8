// Permissions. The server decides; the panel hides what it would refuse.
import type { Permission } from "../api/kinds.gen";

export type { Permission };

export type Role = "superadmin" | "admin" | "agent" | "contentManager" | "app";

/** The fields of a user that decide access; only these are stored in the browser. */
export interface Bearer {
  username: string;
  roleCode: string;
  roleName: string;
  permissions: string[];
}

export interface Requirement {
  permission?: Permission;
  anyOf?: readonly Permission[];
  allOf?: readonly Permission[];
  role?: Role;
  anyRole?: readonly Role[];
  adminOnly?: boolean;
}

export function isAdmin(bearer: Bearer): boolean {
  return bearer.roleCode === "superadmin" || bearer.roleCode === "admin";
}

export function holds(bearer: Bearer, permission: Permission): boolean {
  return isAdmin(bearer) || bearer.permissions.includes(permission);
}

/** Every part of the requirement must be met; a requirement without parts is met by anyone. */
export function meets(bearer: Bearer, need: Requirement): boolean {
  if (need.permission && !holds(bearer, need.permission)) return false;
  if (need.anyOf && !need.anyOf.some((permission) => holds(bearer, permission))) return false;
  if (need.allOf && !need.allOf.every((permission) => holds(bearer, permission))) return false;
  if (need.role && bearer.roleCode !== need.role) return false;
  if (need.anyRole && !(need.anyRole as readonly string[]).includes(bearer.roleCode)) return false;
  if (need.adminOnly && !isAdmin(bearer)) return false;
  return true;
}
