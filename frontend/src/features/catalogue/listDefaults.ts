// The state of a list whose address says nothing. Kept small: the build needs it too (scripts/panelLinks.ts).
import type { Kind } from "../../access/kinds";

const pageSizes: Partial<Record<Kind, number>> = { sports: 25 };

export function listDefaults(kind: Kind, filters: string[] = []) {
  return { name: kind, size: pageSizes[kind] ?? 10, sort: "-id", filters };
}
