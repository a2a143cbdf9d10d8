// Whether a list shows less than everything that it has.
import type { ListState } from "./useListAddress";

export const isFiltered = ({ search, filters }: Pick<ListState, "search" | "filters">): boolean =>
  search !== "" || Object.values(filters).some((value) => value !== "");
