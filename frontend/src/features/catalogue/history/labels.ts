// The names of fields and of values that are ids, for those who read what changed.
import { useQuery } from "@tanstack/react-query";
import type { Kind } from "../../../access/kinds";
import { call } from "../../../api/client";
import { freshness } from "../../../api/queryClient";
import type { AuditEntry } from "../../../api/resourceItems";
import { screenLabelOf } from "../../../history/screenLabels";
import { currentLanguage, hasTextNear, textAt, textNear } from "../../../i18n";
import { definitions } from "../definitions";

/** Kinds of content whose changes are recorded: also those that have no page of their own. */
export type RecordedKind = Kind | "seasons" | "episodes";

/** What the log says of a merge beside the fields. */
const ofMerges = ["mergedItem", "mergedInto"];

export function fieldLabelOf(kind: RecordedKind, field: string): string {
  if (ofMerges.includes(field)) return textAt(`history.audit.names.${field}`);
  const name = field.split(/[.[]/)[0] ?? field;
  const isInForm = hasTextNear(`contents.${kind}`, `fields.${name}`);
  return isInForm ? textNear(`contents.${kind}`, `fields.${name}`) : (screenLabelOf(kind, name) ?? field);
}

const ofCategories = ["categoryId", "categories"];
const query = { _page: 0, _size: 1000 };

/** The filter that has the names of a field's codes, where it is called otherwise. */
const filterOf: Record<string, string> = { genres: "genre" };

/** The names of codes, and of categories and guides, which are read where one of the entries has changed some. */
export function useValueLabels(kind: RecordedKind, entries: readonly Pick<AuditEntry, "after">[]) {
  const definition = useQuery({
    queryKey: ["definitions", kind],
    queryFn: async () =>
      kind === "seasons" || kind === "episodes" ? null : (await definitions[kind]()).default,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const filters = definition.data?.filters?.() ?? [];
  const changes = (fields: string[]) => entries.some(({ after }) => fields.some((field) => field in after));
  const categories = useQuery({
    queryKey: ["history", "categories"],
    queryFn: ({ signal }) => call("get", "/categories", { query, signal }),
    enabled: changes(ofCategories),
    staleTime: freshness.lookups,
  });
  const guides = useQuery({
    queryKey: ["history", "guides"],
    queryFn: ({ signal }) => call("get", "/tv-guides", { query, signal }),
    enabled: changes(["tvGuideId"]),
    staleTime: freshness.lookups,
  });
  const nameOfCategory = (id: unknown) => {
    const category = categories.data?.content.find((one) => one.id === id);
    if (!category) return id === null || id === undefined ? undefined : `#${id}`;
    return currentLanguage() === "en" ? category.englishDescription : category.description;
  };
  return (field: string, value: unknown): string | undefined => {
    if (field === "categoryId") return nameOfCategory(value);
    if (field === "categories" && Array.isArray(value)) return value.map(nameOfCategory).join(", ");
    if (field === "tvGuideId") return guides.data?.content.find(({ id }) => id === value)?.title;
    const options = filters.find(({ key }) => key === (filterOf[field] ?? field))?.options;
    const nameOf = (code: unknown) => options?.find((option) => option.value === code)?.label;
    if (Array.isArray(value) && value.every((code) => nameOf(code))) return value.map(nameOf).join(", ");
    return nameOf(value);
  };
}
