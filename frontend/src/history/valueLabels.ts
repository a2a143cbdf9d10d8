// What the values of fields are called: codes by their enumerations, ids by the categories, guides and keys that they
// refer to. Conflicts of forms, bulk operations, imports, histories and the audit log show them so.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import { freshness } from "../api/queryClient";
import { useCategoryOptions, useGuideOptions } from "../api/storedOptions";
import { textAt } from "../i18n";
import { labelOf } from "../i18n/enums";
import { formatDay, formatMoment } from "../i18n/formats";
import { serviceZone } from "../i18n/serviceZone";

/** The name of a field's value; undefined where it has none of its own (`valueText`). */
export type ValueLabel = (field: string, value: unknown) => string | undefined;

/** Fields whose values are shown, of what a resource has. */
interface ShownFields {
  resource: string;
  fields: readonly string[];
}

type Fields = typeof import("../api/fields.gen");
type Enumeration = keyof Fields["enumerations"];
type Reference = "category" | "guide" | "key";
type Sources = Readonly<Record<string, Enumeration | Reference>>;

/** Fields that the API's document has in no request. */
const more: Record<string, Sources> = {
  "epg-matches": { verdict: "LinkVerdict", guideId: "guide" },
  "live-profiles": { keyId: "key" },
  "playlist-sources": { "categories.categoryId": "category", radioGenre: "RadioGenre" },
};

/** Fields with a flag for each of some things, and where the names of these are. */
const flags: Record<string, string> = { allowedPeriods: "appSettings.control.periods" };

const fieldsQuery = queryOptions({
  queryKey: ["value-labels"],
  queryFn: () => import("../api/fields.gen"),
  staleTime: Number.POSITIVE_INFINITY,
});

/** What each field of a resource is a code or an id of. */
function sourcesOf(fields: Fields | undefined, resource: string): Sources {
  if (!fields) return {};
  const named: Sources = (fields.namedFields as Record<string, Sources>)[resource] ?? {};
  const quality = named["links.quality"];
  // Of all links at once, as bulk operations change it.
  return { ...named, ...(quality && { linkQuality: quality }), ...more[resource] };
}

const keysQuery = queryOptions({
  queryKey: ["history", "keys"],
  queryFn: ({ signal }) => call("get", "/integrator-keys", { query: { _page: 0, _size: 1000 }, signal }),
  staleTime: freshness.lookups,
});

/** The names of values, by resource. What is not loaded yet, or not there, is shown by its code or id. */
export function useValueLabels(shown: readonly ShownFields[]): (resource: string) => ValueLabel {
  const { data: loaded } = useQuery(fieldsQuery);
  /** Whether one of the fields, or a part of it, refers to such a thing. */
  const isNeeded = (reference: Reference) =>
    shown.some(({ resource, fields }) =>
      Object.entries(sourcesOf(loaded, resource)).some(
        ([name, source]) =>
          source === reference && fields.some((field) => name === field || name.startsWith(`${field}.`)),
      ),
    );
  const categories = useCategoryOptions(undefined, isNeeded("category"));
  const guides = useGuideOptions(isNeeded("guide"));
  const keys = useQuery({ ...keysQuery, enabled: isNeeded("key") });

  const nameOf = (source: Enumeration | Reference, value: unknown): string => {
    if (source === "key")
      return keys.data?.content.find(({ id }) => String(id) === String(value))?.name ?? `#${value}`;
    if (source !== "category" && source !== "guide")
      return labelOf(loaded?.enumerations[source] ?? {}, String(value));
    const { options } = source === "guide" ? guides : categories;
    return options.find((option) => option.value === String(value))?.label ?? `#${value}`;
  };

  return (resource) => {
    const sources = sourcesOf(loaded, resource);
    return (field, value) => {
      if (value === null || value === undefined || value === "") return undefined;
      if (flags[field]) return flagNames(flags[field], value);
      // A subscription ends on a day of the service.
      if (field === "expirationDate" && typeof value === "string" && value.includes("T"))
        return formatMoment(value, serviceZone());
      const source = sources[field];
      if (!source) return undefined;
      if (!Array.isArray(value)) return nameOf(source, value);
      // Parts have names of their own.
      const isList = value.length > 0 && value.every((one) => typeof one !== "object");
      return isList ? value.map((one) => nameOf(source, one)).join(", ") : undefined;
    };
  };
}

function flagNames(texts: string, value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const set = Object.entries(value).filter(([, isSet]) => isSet === true);
  return set.map(([name]) => textAt(`${texts}.${name}`)).join(", ") || undefined;
}

/** The names of values of one resource. */
export function useValueLabel(resource: string, fields: readonly string[]): ValueLabel {
  return useValueLabels([{ resource, fields }])(resource);
}

/** A calendar date, or a moment, as the API writes it. */
const date = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}.*)?$/;

/** A value that has no name of its own. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "—";
  if (typeof value === "boolean") return textAt(value ? "common.yes" : "common.no");
  if (Array.isArray(value)) return value.length > 0 ? value.map(valueText).join(", ") : "—";
  if (typeof value === "string" && date.test(value) && !Number.isNaN(Date.parse(value)))
    return value.length === 10 ? formatDay(value) : formatMoment(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
