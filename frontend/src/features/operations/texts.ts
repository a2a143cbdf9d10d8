// What an operation does, in words.
import { useValueLabels, type ValueLabel } from "../../history/valueLabels";
import { t as text } from "../../i18n";
import { changedFields, changeText } from "../../operations/changeText";
import type { Operation } from "../../operations/queries";

/** The names of the values that changes have, by resource. */
export type Names = (resource: string) => ValueLabel;

/** The names of the values that these operations set. */
export function useNames(operations: readonly Operation[]): Names {
  return useValueLabels(operations.map(shownFields));
}

/** The fields whose values a change names. */
const shownFields = ({ resource, action }: Operation) => ({
  resource,
  fields: action ? changedFields(action) : [],
});

/** Whether the guide review began it. A playlist source can have that name, too, but its channels have titles. */
const isOfGuideReview = ({ fileName, columns }: NonNullable<Operation["import"]>) =>
  fileName === "EPG" && columns.includes("epgId") && !columns.includes("title");

/** What an operation does, in one line. */
export function textOf({ action, import: file, undoOf, resource }: Operation, names: Names): string {
  if (file)
    return isOfGuideReview(file)
      ? text("operations.page.linksGuides")
      : text("operations.page.import", { file: file.fileName });
  return action
    ? changeText(action, resource, names(resource))
    : text("operations.page.undoes", { id: undoOf ?? "" });
}
