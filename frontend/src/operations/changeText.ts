// The change of a bulk operation in one line.
import { type ValueLabel, valueText } from "../history/valueLabels";
import { t, textNear } from "../i18n";
import { fieldName, isNamed, valueName } from "./names";
import type { BulkChange } from "./queries";

/** A change, as the log records it too: without what it does not have. */
export type NamedChange = Pick<BulkChange, "type"> & Partial<BulkChange>;

/** The name of a field of what an operation changes. */
export function operationField(resource: string, field: string): string {
  if (field === "linkQuality") return t("operations.linkQuality");
  if (/^streams\b/.test(field)) return t("operations.streams");
  if (isNamed(resource)) return fieldName(resource, field);
  return textNear(`contents.${resource}`, `fields.${field.split(/[.[]/)[0]}`);
}

/** The fields whose values a change names. */
export function changedFields({ set, list }: NamedChange): string[] {
  return [...Object.keys(set ?? {}), ...(list ? [list] : [])];
}

/** What a change does, with the names of its values. */
export function changeText(action: NamedChange, resource: string, valueLabel: ValueLabel): string {
  const label = (field: string) => operationField(resource, field);
  if (action.type === "DELETE") return t("operations.page.delete");
  if (action.type === "RESTORE") return t("operations.page.restore");
  if (action.type === "RENUMBER") return t("operations.page.renumber");
  if (action.type === "SET")
    return Object.entries(action.set ?? {})
      .map(([field, value]) =>
        t("operations.page.set", {
          field: label(field),
          value: valueName(field, value) ?? valueLabel(field, value) ?? valueText(value),
        }),
      )
      .join(", ");
  if (action.type === "REPLACE")
    return t("operations.page.replace", {
      field: (action.fields ?? []).map(label).join(", "),
      find: action.find ?? "",
      replacement: action.replacement ?? "",
    });
  const list = action.list ?? "";
  const added = action.values ?? [];
  const values = { field: label(list), value: valueLabel(list, added) ?? valueText(added) };
  if (action.type === "ADD") return t("operations.page.addTo", values);
  if (action.replaceWith == null) return t("operations.page.removeFrom", values);
  const other = [action.replaceWith];
  return t("operations.page.exchangeIn", {
    ...values,
    replacement: valueLabel(list, other) ?? valueText(other),
  });
}
