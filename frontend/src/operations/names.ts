// What operations change of users and reports, and how the fields and their values are called. Content has its own.
import { Priority } from "../api/enums/Priority.gen";
import { ReportStatus } from "../api/enums/ReportStatus.gen";
import { RoleCode } from "../api/enums/RoleCode.gen";
import { UserStatus } from "../api/enums/UserStatus.gen";
import { t, textNear } from "../i18n";
import { type EnumLabels, labelOf } from "../i18n/enums";
import type { BulkTarget, ChoiceOption, PossibleChange } from "./changes";

type Named = "users" | "issue-reports";

const codes: Record<Named, Record<string, EnumLabels>> = {
  users: { roleCode: RoleCode, status: UserStatus },
  "issue-reports": { priority: Priority, status: ReportStatus },
};

/** Whether the items are users or reports. */
export function isNamed(resource: string): resource is Named {
  return resource in codes;
}

export function fieldName(resource: Named, field: string): string {
  return field === "" ? "" : textNear(`operations.${resource}`, field);
}

/** The name of a value; undefined where it is shown as it is. */
export function valueName(resource: Named, field: string, value: unknown): string | undefined {
  if (value === null && (field === "registeredBy" || field === "assignedTo")) return t("operations.nobody");
  const labels = codes[resource][field];
  return labels && typeof value === "string" ? labelOf(labels, value as never) : undefined;
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
    valueLabel: (field, value) => valueName(resource, field, value),
    queryKey,
  };
}
