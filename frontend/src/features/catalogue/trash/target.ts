// What a restoration by the trash is about: items of one kind, which nothing else is done to.
import type { BulkTarget } from "../../../operations/changes";
import { fieldLabelOf, type RecordedKind } from "../history/labels";
import { trashKey } from "../queries";

export const targetOf = (kind: RecordedKind): BulkTarget => ({
  resource: kind,
  possible: [],
  fieldLabel: (field) => fieldLabelOf(kind, field),
  queryKey: trashKey,
});
