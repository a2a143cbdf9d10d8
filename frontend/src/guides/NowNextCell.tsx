// What is on a channel now, and what comes next, in a row of the list of channels.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { WithoutGuide } from "../api/enums/WithoutGuide.gen";
import { labelOf } from "../i18n/enums";
import { formatTimeIn } from "../i18n/lazyFormats";
import { Dash } from "../ui/values";
import { FailedCell } from "./FailedCell";
import { failedRows, nowNextOf, onAndNext } from "./nowNext";
import { useNow } from "./useNow";
import "./guides.css";

export default function NowNextCell({ channel }: { channel: number }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const now = useNow();
  const { data, error, isPending } = useQuery(nowNextOf(channel, now));
  if (isPending) return <span className="quiet">…</span>;
  if (error && !data)
    return (
      <FailedCell
        title={t("schedule.failed")}
        error={error}
        onRetry={() => void client.refetchQueries(failedRows)}
      />
    );
  if (!data) return <Dash />;
  if (data.without) return <span className="quiet">{labelOf(WithoutGuide, data.without)}</span>;
  const { on, next } = onAndNext(data.programmes, now);
  return (
    <span className="guide-now">
      <span title={on?.title}>{on ? on.title : t("schedule.nothing")}</span>
      {next && (
        <span className="quiet tabular">
          {t("schedule.then", {
            time: formatTimeIn(Date.parse(next.start), data.timeZone),
            title: next.title,
          })}
        </span>
      )}
    </span>
  );
}
