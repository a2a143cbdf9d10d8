// What is on a channel now, and what comes next, in a row of the list of channels.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { WithoutGuide } from "../api/enums/WithoutGuide.gen";
import { labelOf } from "../i18n/enums";
import { formatTimeIn } from "../i18n/formats";
import { Dash } from "../ui/values";
import { nowNextOf } from "./nowNext";
import "./guides.css";

export default function NowNextCell({ channel }: { channel: number }) {
  const { t } = useTranslation();
  const { data, isPending } = useQuery(nowNextOf(channel));
  if (isPending) return <span className="quiet">…</span>;
  if (!data) return <Dash />;
  if (data.without) return <span className="quiet">{labelOf(WithoutGuide, data.without)}</span>;
  const now = Date.now();
  // Of programmes that overlap, the one that began last.
  const on = data.programmes.findLast(
    ({ start, stop }) => Date.parse(start) <= now && Date.parse(stop) > now,
  );
  const next = data.programmes.find(({ start }) => Date.parse(start) > now);
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
