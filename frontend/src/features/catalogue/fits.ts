// Whether a row still matches the filters of its list by what is changed in the list itself: switches and cells.
import type { FilterValues } from "../../ui/list/filter";

type Fields = Record<string, unknown>;

const numbers = ["year", "channelNumber"];

export function fits(row: object, filters: FilterValues): boolean {
  const { categories, categoryId, ...fields } = row as Fields;
  return Object.entries(filters).every(([key, wanted]) => {
    if (!wanted) return true;
    const own = fields[key];
    if (key !== "categoryId")
      return (typeof own !== "boolean" && !numbers.includes(key)) || String(own) === wanted;
    const all = Array.isArray(categories) ? categories : [categoryId];
    return all.includes(undefined) || wanted.split(",").some((id) => all.includes(Number(id)));
  });
}
