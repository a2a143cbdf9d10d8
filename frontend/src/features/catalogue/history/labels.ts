// The names of fields, for those who read what changed.
import { screenLabelOf } from "../../../history/screenLabels";
import { hasTextNear, textAt, textNear } from "../../../i18n";
import type { ListedKind } from "../contents";

/** Kinds of content whose changes are recorded: also those that have no page of their own. */
export type RecordedKind = ListedKind;

/** Entries of a merge in the log that are no fields. */
const ofMerges = ["mergedItem", "mergedInto"];

export function fieldLabelOf(kind: RecordedKind, field: string): string {
  if (ofMerges.includes(field)) return textAt(`history.audit.names.${field}`);
  const name = field.split(/[.[]/)[0] ?? field;
  const isInForm = hasTextNear(`contents.${kind}`, `fields.${name}`);
  return isInForm ? textNear(`contents.${kind}`, `fields.${name}`) : (screenLabelOf(kind, name) ?? field);
}
