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
import { askAndClose } from "../../ui/askAndClose";
import { toast } from "../../ui/toast";
import { draftOf, type StreamsDraft } from "./streams";

/** What the streams have of a change of the channel: the first has its address. */
const shown = ["urlType", "url", "failover", "streams"];

const ofStreams = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => shown.includes(name)));

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
      void askAndClose(draft.isChanged(), () => {
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
      changesOf={({ before, after }) => (
        <FieldChanges
          resource="tv-channels"
          before={ofStreams(before)}
          after={ofStreams(after)}
          fieldLabel={(field) => textNear("streams", `fields.${field}`)}
          valueLabel={(field, value) => (field === "failover" ? labelOf(Failover, String(value)) : undefined)}
        />
      )}
      onRestore={restore}
    />
  );
}
