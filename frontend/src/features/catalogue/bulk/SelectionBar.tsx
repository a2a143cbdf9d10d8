// What is selected of a list of content, and what can be done with it.
import { contentEntries, type Kind } from "../../../access/kinds";
import { useMay } from "../../../access/session";
import { BulkDialog } from "../../../operations/BulkDialog";
import { type SelectedItems, SelectionBar } from "../../../operations/SelectionBar";
import type { Selection } from "../../../ui/list/useSelection";
import type { ContentDefinition } from "../define";
import { useBulkTarget } from "./changes";

// biome-ignore lint/suspicious/noExplicitAny: of any kind
type AnyDefinition = ContentDefinition<any>;

interface ContentSelectionBarProps {
  of: AnyDefinition;
  selection: Selection;
  /** Search and filters of the list. */
  filters: Record<string, string>;
  /** How many rows match. */
  total: number | undefined;
}

export default function ContentSelectionBar({ of, selection, filters, total }: ContentSelectionBarProps) {
  const mayDelete = useMay()(`${contentEntries[of.kind as Kind].entity}_DELETE`);
  return (
    <SelectionBar
      selection={selection}
      filter={filters}
      total={total}
      mayDelete={mayDelete}
      dialog={(items) => <ContentDialog of={of} {...items} />}
    />
  );
}

function ContentDialog({ of, ...items }: SelectedItems & { of: AnyDefinition }) {
  return <BulkDialog of={useBulkTarget(of)} {...items} />;
}
