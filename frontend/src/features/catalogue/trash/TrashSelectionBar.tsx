// What is selected of the trash, of one kind, and what can be done with it: it comes back together.
import { BulkDialog } from "../../../operations/BulkDialog";
import type { BulkTarget } from "../../../operations/changes";
import { type SelectedItems, SelectionBar } from "../../../operations/SelectionBar";
import type { RowId, Selection } from "../../../ui/list/useSelection";
import { fieldLabelOf, type RecordedKind } from "../history/labels";
import { trashKey } from "../queries";

interface TrashSelectionBarProps {
  kind: RecordedKind;
  selection: Selection;
  /** Search and dates of the list. */
  filter: Record<string, string | undefined>;
  /** How many entries match. */
  total: number | undefined;
}

/** The item of an entry, whose id names the kind too. */
const itemOf = (entry: RowId) => Number(String(entry).split("-").at(-1));

export default function TrashSelectionBar({
  kind,
  selection,
  filter: listed,
  total,
}: TrashSelectionBarProps) {
  const target: BulkTarget = {
    resource: kind,
    possible: [],
    fieldLabel: (field) => fieldLabelOf(kind, field),
    queryKey: trashKey,
  };
  const itemsOf = ({ ids, filter }: SelectedItems["selected"]) =>
    ids ? { ids: ids.map(itemOf) } : { filter };
  return (
    <SelectionBar
      selection={selection}
      filter={listed}
      total={total}
      isTrash
      dialog={({ selected, ...items }) => <BulkDialog of={target} selected={itemsOf(selected)} {...items} />}
    />
  );
}
