// The history of a channel's streams; those of an earlier version go into their form.
import { useTranslation } from "react-i18next";
import { call } from "../../api/client";
import { Failover } from "../../api/enums/Failover.gen";
import { isMissing } from "../../api/problem";
import { getHistory } from "../../api/resourceItems";
import type { Draft } from "../../forms/draft";
import { FieldChanges } from "../../history/FieldChanges";
import { HistoryDialog } from "../../history/HistoryDialog";
import { textNear } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { askAndReplace } from "../../ui/askAndClose";
import { toast } from "../../ui/toast";
import { draftOf, type StreamsDraft } from "./streams";

/** What the streams have of a change of the channel: the first has its address. */
const shown = ["urlType", "url", "failover"];

type Values = Record<string, unknown>;

/** What of a change concerns the streams; their texts are compared one by one. */
function ofStreams({ before, after }: { before: Values; after: Values }) {
  const [old, now] = [listOf(before.streams), listOf(after.streams)];
  // The text of the first stream has its address already.
  const names = old[0] === now[0] ? shown : shown.filter((name) => name !== "url" && name !== "urlType");
  const kept = (fields: Values) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
  return { before: kept(before), after: kept(after), old, now };
}

const listOf = (streams: unknown): string[] => (Array.isArray(streams) ? streams.map(String) : []);

interface StreamChangesProps {
  old: readonly string[];
  now: readonly string[];
}

/** The streams that a change removed and added; where it only moved some, all of them in their order. */
function StreamChanges({ old, now }: StreamChangesProps) {
  const { t } = useTranslation();
  const removed = old.filter((stream) => !now.includes(stream));
  const added = now.filter((stream) => !old.includes(stream));
  const isOrder = removed.length === 0 && added.length === 0;
  if (isOrder && old.join() === now.join()) return null;
  return (
    <div className="field-change">
      <span className="quiet">{textNear("streams", "fields.streams")}</span>
      {isOrder ? (
        <ol className="stream-changes" data-numbered>
          {now.map((stream) => (
            <li key={stream}>
              <ins>{stream}</ins>
            </li>
          ))}
        </ol>
      ) : (
        <ul className="stream-changes">
          {removed.map((stream) => (
            <li key={`- ${stream}`} data-sign="−">
              <span className="visually-hidden">{t("history.streamRemoved")}</span> <del>{stream}</del>
            </li>
          ))}
          {added.map((stream) => (
            <li key={`+ ${stream}`} data-sign="+">
              <span className="visually-hidden">{t("history.streamAdded")}</span> <ins>{stream}</ins>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface StreamsHistoryProps {
  channel: number;
  name: string;
  /** The present version. */
  version: number;
  draft: Draft<StreamsDraft>;
  onClose: () => void;
}

export default function StreamsHistory({ channel, draft, ...props }: StreamsHistoryProps) {
  const { t } = useTranslation();
  const restore = async (earlier: number) => {
    try {
      const { version, failover, streams } = await call(
        "get",
        `/tv-channels/${channel}/history/${earlier}/streams`,
      );
      void askAndReplace(draft.isChanged(), () => {
        draft.merge({ failover, streams: streams.map(draftOf) });
        props.onClose();
        toast.success(t(draft.isChanged() ? "history.restoredStreams" : "history.sameStreams", { version }));
      });
    } catch (problem) {
      if (!isMissing(problem)) throw problem;
      toast.failure(t("history.versionFailed"), t("history.streamsMissing"));
    }
  };
  return (
    <HistoryDialog
      {...props}
      queryKey={["tv-channels", channel]}
      load={(page, signal) => getHistory("tv-channels", channel, page, signal)}
      changesOf={(entry) => {
        const { before, after, old, now } = ofStreams(entry);
        return (
          <>
            <FieldChanges
              resource="tv-channels"
              before={before}
              after={after}
              fieldLabel={(field) => textNear("streams", `fields.${field}`)}
              valueLabel={(field, value) =>
                field === "failover" ? labelOf(Failover, String(value)) : undefined
              }
            />
            <StreamChanges old={old} now={now} />
          </>
        );
      }}
      onRestore={restore}
    />
  );
}
