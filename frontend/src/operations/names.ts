// What operations change of users and reports, and how the fields are called. Content has its own.
import { t, textNear } from "../i18n";
import type { BulkTarget, ChoiceOption, PossibleChange } from "./changes";

type Named = "users" | "issue-reports";

const resources: readonly string[] = ["users", "issue-reports"] satisfies Named[];

/** Whether the items are users or reports. */
export function isNamed(resource: string): resource is Named {
  return resources.includes(resource);
}

export function fieldName(resource: Named, field: string): string {
  return field === "" ? "" : textNear(`operations.${resource}`, field);
}

/** The text for an empty value of a field that refers to a user. */
export function valueName(field: string, value: unknown): string | undefined {
  const isUnset = value === null && (field === "registeredBy" || field === "assignedTo");
  return isUnset ? t("operations.nobody") : undefined;
}

/** Sets a field to one of these values. */
export function setField(
  resource: Named,
  field: string,
  options: readonly ChoiceOption[] = [],
): PossibleChange {
  return {
    key: field,
    label: fieldName(resource, field),
    input: "one",
    options,
    with: ([value = ""]) => ({ type: "SET", set: { [field]: value } }),
  };
}

/** What an operation on them is about. */
export function targetOf(
  resource: Named,
  possible: PossibleChange[],
  queryKey: BulkTarget["queryKey"],
): BulkTarget {
  return {
    resource,
    possible,
    fieldLabel: (field) => fieldName(resource, field),
    valueLabel: valueName,
    queryKey,
  };
}
