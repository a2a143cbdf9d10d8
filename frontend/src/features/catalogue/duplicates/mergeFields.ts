// The comparison of two items: the fields in which they differ, and the links of the merged item.
import type { MergePreview } from "../../../api/resourceItems";

/** Fields that are set by the server or shown elsewhere. */
const left = ["id", "version", "views", "createdDate", "updatedDate", "updatedBy", "links"];

const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

export function differingFields({ kept, merged, together }: MergePreview) {
  const [one, other, both]: Record<string, unknown>[] = [{ ...kept }, { ...merged }, { ...together }];
  return Object.keys({ ...one, ...other })
    .filter((field) => !left.includes(field) && !isSame(one?.[field], other?.[field]))
    .map((field) => ({
      field,
      kept: one?.[field],
      merged: other?.[field],
      result: both?.[field],
      isTaken: !isSame(one?.[field], both?.[field]),
    }));
}

/** Nothing for kinds without links. */
export function mergedLinks({ kept, together }: MergePreview) {
  if (!("links" in kept && "links" in together)) return undefined;
  const known = new Set(kept.links.map(({ url }) => url));
  return together.links.map((link) => ({ link, isAdded: !known.has(link.url) }));
}
