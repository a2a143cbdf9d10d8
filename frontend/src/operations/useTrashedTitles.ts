// What items are called that an operation did not find: the trash has their titles.
import { useQuery } from "@tanstack/react-query";
import { contentEntries, isKind } from "../access/kinds";
import type { Permission } from "../access/permissions";
import { useMay } from "../access/session";
import { type Operation, operationQueries } from "./queries";

/** The titles by the ids of the items. Users without the permission for the trash, or for its items, get none. */
export function useTrashedTitles(operation: Operation, isNeeded: boolean): Record<string, string> {
  const may = useMay();
  const permission = permissionFor(operation.resource);
  const mayRead = permission !== undefined && may(permission);
  const { data } = useQuery({ ...operationQueries.trashedTitles(operation), enabled: isNeeded && mayRead });
  return data ?? {};
}

/** Undefined where deleted items are not in the trash. */
function permissionFor(resource: string): Permission | undefined {
  if (isKind(resource)) return `${contentEntries[resource].entity}_DELETE`;
  return resource === "seasons" || resource === "episodes" ? "TVSHOW_DELETE" : undefined;
}
