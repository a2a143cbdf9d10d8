// What a cell can be: a number that is typed, or one or several of these.
import { useTranslation } from "react-i18next";
import type { Rule } from "../../../api/rule";
import { rules } from "../../../api/rules.gen";
import { useCategoryOptions } from "../../../api/storedOptions";
import type { ListedKind, Row, Stored } from "../contents";

/** As it is in the control; several of a field that holds several. */
export type CellValue = string | string[];

/** Definition of the cells in the list of a kind. */
export interface CellDefinition<K extends ListedKind> {
  kind: K;
  /** The name of its draft among the server's schemas. */
  schema: keyof typeof rules;
  nameOf: (item: Row<K> | Stored<K>) => string;
  /** Of the categories that are chosen from. */
  categoryFilter?: string;
}

type AnyDefinition = Pick<CellDefinition<ListedKind>, "schema" | "categoryFilter">;

export function ruleOf(definition: AnyDefinition, field: string): Rule {
  const { properties } = rules[definition.schema] as Rule;
  return properties?.[field] ?? {};
}

export function useCellOptions(definition: AnyDefinition, field: string) {
  const { t } = useTranslation();
  const isCategory = field === "categoryId" || field === "categories";
  const categories = useCategoryOptions(definition.categoryFilter, isCategory);
  if (isCategory) return categories.options;
  if (ruleOf(definition, field).type !== "boolean") return undefined;
  return [
    { value: "true", label: t("common.yes") },
    { value: "false", label: t("common.no") },
  ];
}

/** The value of a row, for its control. */
export function toControl(value: unknown): CellValue {
  return Array.isArray(value) ? value.map(String) : String(value ?? "");
}
