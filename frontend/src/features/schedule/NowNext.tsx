// The schedule on a phone: what is on now and what comes next, channel by channel.

import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { WithoutGuide } from "../../api/enums/WithoutGuide.gen";
import { messageOf } from "../../api/problem";
import { onAndNext } from "../../guides/nowNext";
import { useNow } from "../../guides/useNow";
import { labelOf } from "../../i18n/enums";
import { formatTimeIn } from "../../i18n/lazyFormats";
import { paths } from "../../routing/paths";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { block, halfHour } from "./days";
import {
  isPending,
  type Programme,
  pageSize,
  type Row,
  type ScheduleFilter,
  scheduleQueries,
} from "./queries";

const rowHeight = 92;
/** Number of rows of the first request. */
const first = 10;

interface NowNextProps {
  filter: ScheduleFilter;
  zone: string;
  onOpen: (channel: number, at: number) => void;
}

export function NowNext({ filter, zone, onOpen }: NowNextProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  /** The number of rows at the last request. */
  const [known, setKnown] = useState<number>();
  const now = useNow();
  // Read again with each half-hour.
  const from = Math.floor(now / halfHour) * halfHour;
  const rows = useVirtualizer({
    count: known ?? first,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
  });
  const items = rows.getVirtualItems();
  const pages: number[] = [];
  const last = Math.floor((items.at(-1)?.index ?? 0) / pageSize);
  for (let page = Math.floor((items[0]?.index ?? 0) / pageSize); page <= last; page++) pages.push(page);
  const answers = useQueries({
    queries: pages.map((page) => scheduleQueries.page(from, from + block, page, filter)),
  });
  const total = answers.find(({ data }) => data)?.data?.totalElements;
  useEffect(() => {
    if (total !== undefined) setKnown(total);
  }, [total]);
  const error = answers.find(({ error, data }) => error && !data)?.error;
  const failure = error && (
    <ErrorView
      title={t("schedule.failed")}
      message={messageOf(error)}
      onRetry={() => {
        for (const answer of answers) if (answer.error) void answer.refetch();
      }}
    />
  );
  if (failure && (total ?? known) === undefined) return failure;
  if (total === 0) return <Empty help={t("schedule.noneHelp")}>{t("schedule.none")}</Empty>;
  const rowAt = (index: number) =>
    answers[pages.indexOf(Math.floor(index / pageSize))]?.data?.content[index % pageSize];
  return (
    <>
      {failure}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard */}
      <section ref={scroller} className="now-next" aria-label={t("schedule.nowNext")} tabIndex={0}>
        <ul style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <li key={index} style={{ transform: `translateY(${start}px)` }}>
              <Channel row={rowAt(index)} now={now} zone={zone} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

interface ChannelProps extends Pick<NowNextProps, "zone" | "onOpen"> {
  row: Row | undefined;
  now: number;
}

function Channel({ row, now, zone, onOpen }: ChannelProps) {
  const { t } = useTranslation();
  if (!row) return <span className="schedule-waits" />;
  const { on, next } = onAndNext(row.programmes, now);
  const nothing = row.without ? labelOf(WithoutGuide, row.without) : t("schedule.nothing");
  const at = (programme: Programme) => formatTimeIn(Date.parse(programme.start), zone);
  const text = (
    <>
      <span className="now-next-channel">
        <span className="tabular">{row.channelNumber}</span> {row.title}
      </span>
      <b>{on ? on.title : nothing}</b>
      {on && (
        <progress
          max={Date.parse(on.stop) - Date.parse(on.start)}
          value={now - Date.parse(on.start)}
          aria-label={t("schedule.progress", { from: at(on), to: formatTimeIn(Date.parse(on.stop), zone) })}
        />
      )}
      <span className="quiet">
        {next
          ? t("schedule.then", { time: at(next), title: next.title })
          : on
            ? t("schedule.thenNothing")
            : ""}
      </span>
    </>
  );
  const shown = on ?? next;
  return shown ? (
    <button
      type="button"
      className="now-next-row"
      onClick={() => onOpen(row.channelId, Date.parse(shown.start))}
    >
      {text}
    </button>
  ) : isPending(row.without) ? (
    <Link className="now-next-row" to={paths.epgReviewOf(row.channelId)}>
      {text}
    </Link>
  ) : (
    // The reason why it has none, and a link to the channel.
    <button type="button" className="now-next-row" onClick={() => onOpen(row.channelId, now)}>
      {text}
    </button>
  );
}
