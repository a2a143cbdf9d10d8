// The history of an item; an earlier version goes into its form.
import { type EarlierVersion, getHistory, getVersion } from "../../../api/resourceItems";
import { FieldChanges } from "../../../history/FieldChanges";
import { HistoryDialog } from "../../../history/HistoryDialog";
import { loadScreenLabels } from "../../../history/screenLabels";
import { fieldLabelOf, type RecordedKind } from "./labels";

interface ItemHistoryProps {
  kind: RecordedKind;
  id: number;
  name: string;
  /** The present version. */
  version: number;
  onRestore: (version: number, content: EarlierVersion["content"]) => void;
  onClose: () => void;
}

export default function ItemHistory({ kind, id, onRestore, ...props }: ItemHistoryProps) {
  return (
    <HistoryDialog
      {...props}
      queryKey={[kind, id]}
      load={async (page, signal) => {
        const [found] = await Promise.all([getHistory(kind, id, page, signal), loadScreenLabels(kind)]);
        return found;
      }}
      changesOf={({ before, after }) => (
        <FieldChanges
          resource={kind}
          before={before}
          after={after}
          fieldLabel={(field) => fieldLabelOf(kind, field)}
        />
      )}
      onRestore={async (version) => {
        const found = await getVersion(kind, id, version);
        onRestore(found.version, found.content);
      }}
    />
  );
}
