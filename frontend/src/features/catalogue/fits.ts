// Whether a row still matches the filters of its list by what is changed in the list itself: switches and cells.
import type { FilterValues } from "../../ui/list/filter";

type Fields = Record<string, unknown>;

export function fits(row: object, filters: FilterValues): boolean {
  return Object.entries(filters).every(([key, wanted]) => !wanted || fitsOne(row as Fields, key, wanted));
}

function fitsOne(row: Fields, key: string, wanted: string): boolean {
  if (key === "categoryId") {
    const own = Array.isArray(row.categories) ? row.categories : [row.categoryId];
    return own.includes(undefined) || wanted.split(",").some((id) => own.includes(Number(id)));
  }
  const own = row[key];
  if (key === "year") return own === Number(wanted);
  return typeof own !== "boolean" || String(own) === wanted;
}
