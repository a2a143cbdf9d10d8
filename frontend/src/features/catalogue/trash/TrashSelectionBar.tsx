// What is selected of the trash, and what can be done with it: it comes back together.
import { BulkDialog } from "../../../operations/BulkDialog";
import { type SelectedItems, SelectionBar } from "../../../operations/SelectionBar";
import type { Selection } from "../../../ui/list/useSelection";
import type { RecordedKind } from "../history/labels";
import { RestoreSeveralDialog } from "./RestoreSeveralDialog";
import { targetOf } from "./target";
import { type KindPart, partsOf, partsThatMatch } from "./useRestorations";

interface TrashSelectionBarProps {
  /** The kinds that the list shows. */
  kinds: readonly RecordedKind[];
  selection: Selection;
  /** Search and dates of the list. */
  filter: Record<string, string | undefined>;
  /** How many entries match. */
  total: number | undefined;
}

export default function TrashSelectionBar({ kinds, selection, filter, total }: TrashSelectionBarProps) {
  return (
    <SelectionBar
      selection={selection}
      filter={filter}
      total={total}
      isTrash
      dialog={(items) => <Restorations kinds={kinds} forget={selection.forget} {...items} />}
    />
  );
}

interface RestorationsProps extends SelectedItems {
  kinds: readonly RecordedKind[];
  forget: Selection["forget"];
}

/** One operation, or one for each kind. */
function Restorations({ kinds, forget, selected, ...items }: RestorationsProps) {
  const { ids, filter } = selected;
  const parts: KindPart[] = ids ? partsOf(ids) : kinds.map((kind) => ({ kind, selected }));
  const [only, ...others] = parts;
  if (only && others.length === 0)
    return <BulkDialog of={targetOf(only.kind)} selected={only.selected} {...items} />;
  return (
    <RestoreSeveralDialog
      // Of all that match, which kinds there are is not known before.
      findParts={async () => (ids ? parts : partsThatMatch(kinds, filter ?? {}))}
      count={items.count}
      onClose={(isDone, ended) => {
        for (const { kind, selected } of ended) for (const id of selected.ids ?? []) forget(`${kind}-${id}`);
        items.onClose(isDone);
      }}
    />
  );
}
