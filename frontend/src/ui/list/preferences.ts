// The user's choices for a list: columns and page size. Stored in this browser.
import { local } from "../../storage";

const sizeKey = (list: string) => `cartelera.list.${list}.size`;
const columnsKey = (list: string) => `cartelera.list.${list}.hidden`;

export const pageSizes = [10, 25, 50, 100];

export function keptPageSize(list: string): number | undefined {
  const kept = Number(local.get(sizeKey(list)));
  return pageSizes.includes(kept) ? kept : undefined;
}

export function keepPageSize(list: string, size: number): void {
  local.set(sizeKey(list), String(size));
}

/** The hidden columns; undefined for the default. */
export function keptHidden(list: string): string[] | undefined {
  const kept = local.read<unknown>(columnsKey(list));
  return Array.isArray(kept) ? kept.filter((column) => typeof column === "string") : undefined;
}

export function keepHidden(list: string, hidden: readonly string[]): void {
  local.write(columnsKey(list), hidden);
}

const densityKey = "cartelera.list.density";

/** Whether rows are compact; one choice for all lists. */
export function isKeptCompact(): boolean {
  return local.get(densityKey) === "compact";
}

export function keepCompact(isCompact: boolean): void {
  if (isCompact) local.set(densityKey, "compact");
  else local.remove(densityKey);
}
