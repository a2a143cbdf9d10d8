// The changes of bulk operations for each kind: the fields of its schema, with their options.
import { useMemo } from "react";
import { LinkQuality } from "../../../api/enums/LinkQuality.gen";
import { ShowStatus } from "../../../api/enums/ShowStatus.gen";
import { rules } from "../../../api/rules.gen";
import { useCategoryOptions, useGuideOptions } from "../../../api/storedOptions";
import { t, textNear } from "../../../i18n";
import { optionsOf } from "../../../i18n/enums";
import type { BulkTarget, ChoiceOption, PossibleChange } from "../../../operations/changes";
import type { ContentDefinition } from "../define";
import { contentKeys } from "../queries";

const flags = ["active", "adultContent", "kidsContent", "monoAudio", "englishOnly", "gzip"];
const texts = ["title", "stationName", "description", "englishDescription", "links", "url", "streamUrl"];
/** The option for no value; no id or code is a single hyphen. */
const none = "-";
const moreTexts = ["coverImageUrl", "backgroundImageUrl", "imageUrl", "stationLogo", "trailerUrl", "epgId"];

// biome-ignore lint/suspicious/noExplicitAny: of any kind
type AnyDefinition = ContentDefinition<any>;

/** The resource of a change: a kind of content, seasons or episodes. */
export type ChangedKind = Pick<AnyDefinition, "kind" | "schema" | "categoryFilter" | "filters">;

function fieldLabel(definition: ChangedKind, field: string): string {
  if (field === "streams") return t("operations.streams");
  return textNear(`contents.${definition.kind}`, `fields.${field}`);
}

/** The items of a kind, and the changes that they allow. */
export function useBulkTarget(definition: ChangedKind): BulkTarget {
  const possible = usePossibleChanges(definition);
  const queryKey = useMemo(() => contentKeys.all(definition.kind), [definition.kind]);
  return {
    resource: definition.kind,
    possible,
    fieldLabel: (field) => fieldLabel(definition, field),
    queryKey,
  };
}

/** The changes that items of a kind allow. */
function usePossibleChanges(definition: ChangedKind): PossibleChange[] {
  const properties: object = rules[definition.schema].properties;
  const has = (field: string) => field in properties;
  const hasCategories = has("categoryId") || has("categories");
  const categories = useCategoryOptions(definition.categoryFilter, hasCategories).options;
  const guides = useGuideOptions(has("tvGuideId")).options;
  const ofFilter = (key: string) =>
    definition.filters?.().find((filter) => filter.key === key)?.options ?? [];
  const label = (field: string) => fieldLabel(definition, field);

  const set = (
    field: string,
    options: readonly ChoiceOption[],
    read: (value: string) => unknown,
  ): PossibleChange => ({
    key: field,
    label: label(field),
    input: "one",
    options,
    with: ([value = ""]) => ({ type: "SET", set: { [field]: read(value) } }),
  });
  const typed = (field: "country"): PossibleChange => ({
    key: field,
    label: label(field),
    input: "value",
    options: [],
    maxLength: rules.RadioStation.properties[field].maxLength,
    with: ([value = ""]) => ({ type: "SET", set: { [field]: value.trim() } }),
  });
  const list = (
    field: string,
    options: readonly ChoiceOption[],
    read: (value: string) => unknown,
  ): PossibleChange[] =>
    (["ADD", "REMOVE"] as const).map((type) => ({
      key: `${type} ${field}`,
      label: t(type === "ADD" ? "operations.add" : "operations.remove", { field: label(field) }),
      input: "several",
      options,
      with: (values) => ({ type, list: field, values: values.map(read) }),
    }));
  const yesOrNo = ["true", "false"].map((value) => ({
    value,
    label: t(value === "true" ? "common.yes" : "common.no"),
  }));
  const asIs = (value: string) => value;
  // The address of a channel is that of its first stream.
  const hasStreams = definition.kind === "tv-channels";
  const searched = [...texts, ...moreTexts]
    .filter(has)
    .map((field) => (hasStreams && field === "url" ? "streams" : field));
  const replace = (fields: string[], name: string): PossibleChange => ({
    key: `REPLACE ${name}`,
    label: t("operations.replaceIn", { field: name }),
    input: "text",
    options: [],
    with: ([find = "", replacement = ""]) => ({ type: "REPLACE", fields, find, replacement }),
  });

  return [
    ...(has("categoryId") ? [set("categoryId", categories, Number)] : []),
    ...(has("categories") ? list("categories", categories, Number) : []),
    ...(has("tvGuideId")
      ? [
          set("tvGuideId", [{ value: none, label: t("operations.noGuide") }, ...guides], (value) =>
            value === none ? null : Number(value),
          ),
        ]
      : []),
    ...(has("genres") ? list("genres", ofFilter("genre"), asIs) : []),
    ...(has("classification") ? [set("classification", ofFilter("classification"), asIs)] : []),
    ...(has("status") ? [set("status", optionsOf(ShowStatus), asIs)] : []),
    ...(has("country") ? [typed("country")] : []),
    ...flags.filter(has).map((field) => set(field, yesOrNo, (value) => value === "true")),
    ...(has("links") || hasStreams
      ? [{ ...set("linkQuality", optionsOf(LinkQuality), asIs), label: t("operations.linkQuality") }]
      : []),
    ...searched.map((field) => replace([field], label(field))),
  ].filter(({ input, options }) => input === "text" || input === "value" || options.length > 0);
}
