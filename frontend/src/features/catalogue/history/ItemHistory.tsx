// The history of an item; an earlier version goes into its form.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { type AuditEntry, type EarlierVersion, getHistory, getVersion } from "../../../api/resourceItems";
import { FieldChanges } from "../../../history/FieldChanges";
import { HistoryDialog } from "../../../history/HistoryDialog";
import { loadScreenLabels } from "../../../history/screenLabels";
import { textAt } from "../../../i18n";
import { paths } from "../../../routing/paths";
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
      changesOf={(entry) =>
        isFirst(entry) ? (
          <FirstVersion kind={kind} id={id} version={entry.version} />
        ) : (
          <>
            <FieldChanges
              resource={kind}
              before={entry.before}
              after={entry.after}
              fieldLabel={(field) => fieldLabelOf(kind, field)}
            />
            {kind === "tv-channels" && "streams" in { ...entry.before, ...entry.after } && (
              <span className="quiet">
                {textAt("history.streamsStay")}{" "}
                <Link to={paths.streams(id)}>{textAt("history.restoreStreams")}</Link>
              </span>
            )}
          </>
        )
      }
      onRestore={async (version) => {
        const found = await getVersion(kind, id, version);
        onRestore(found.version, found.content);
      }}
    />
  );
}

/** The first entry of content has no values: they are those of the version that it made. */
function isFirst(entry: AuditEntry): entry is AuditEntry & { version: number } {
  return (
    entry.action === "CREATED" &&
    entry.version !== null &&
    Object.keys({ ...entry.before, ...entry.after }).length === 0
  );
}

function FirstVersion({ kind, id, version }: { kind: RecordedKind; id: number; version: number }) {
  const first = useQuery({
    queryKey: ["history", kind, id, "version", version],
    queryFn: ({ signal }) => getVersion(kind, id, version, signal),
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Where a change since is not recorded there is no such version (docs/spec/audit.md#history).
  if (!first.data) return null;
  const values = Object.entries(first.data.content).filter(([, value]) => !isEmpty(value));
  return (
    <FieldChanges
      resource={kind}
      before={{}}
      after={Object.fromEntries(values)}
      fieldLabel={(field) => fieldLabelOf(kind, field)}
    />
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
