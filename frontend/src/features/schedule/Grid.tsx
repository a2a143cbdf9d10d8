// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part, with cells that overlap its columns
// biome-ignore-all lint/a11y/useFocusableInteractive: of a grid its cells have the focus, one at a time
// The schedule as a grid: channels down, time across, programmes laid over the half-hours of a day. Only what is looked at is
// drawn. Arrow keys move the focus: right and left through a channel, up and down at the same time.
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { useNow } from "../../guides/useNow";
import { formatTimeIn } from "../../i18n/lazyFormats";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { plain } from "../../ui/plain";
import { ChannelRow } from "./ChannelRow";
import { cellAt, cellsOf } from "./cells";
import { halfHour } from "./days";
import type { ScheduleFilter } from "./queries";
import { type Place, stepOf } from "./steps";
import { type Blocks, useSchedule } from "./useSchedule";

const rowHeight = 64;
/** Pixels of half an hour. */
const halfWidth = 130;
/** Rows that are requested before anything is known. */
const first = 12;

export interface GridHandle {
  /** Scrolls a moment into view, behind some of what was before it. */
  show: (moment: number) => void;
}

interface GridProps {
  span: Blocks;
  /** It begins where the time is. */
  isToday: boolean;
  zone: string;
  filter: ScheduleFilter;
  handle: Ref<GridHandle>;
  onOpen: (channel: number, at: number) => void;
}

export function Grid({ span, isToday, zone, filter, handle, onOpen }: GridProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const now = useNow();
  const { from: beginning } = span;
  const offsetOf = useCallback(
    (moment: number) => ((moment - beginning) / halfHour) * halfWidth,
    [beginning],
  );
  const drawn = useDrawn(scroller, span, filter);
  const { schedule, count, rows, halves } = drawn;
  const focus = useGridFocus({ scroller, drawn, span, isToday, offsetOf, onOpen });
  const { place, setPlace } = focus;

  // biome-ignore lint/correctness/useExhaustiveDependencies: only where it is drawn first
  useEffect(() => {
    if (isToday) scroller.current?.scrollTo({ left: Math.max(0, offsetOf(Date.now()) - halfWidth) });
  }, []);
  useImperativeHandle(handle, () => ({
    show: (moment) => {
      scroller.current?.scrollTo({ left: Math.max(0, offsetOf(moment) - halfWidth), behavior: "auto" });
      setPlace(({ row }) => ({ row, at: moment }));
    },
  }));

  const failure = schedule.error && (
    <ErrorView title={t("schedule.failed")} message={messageOf(schedule.error)} onRetry={schedule.retry} />
  );
  if (failure && !drawn.isKnown) return failure;
  if (schedule.total === 0) return <Empty help={t("schedule.noneHelp")}>{t("schedule.none")}</Empty>;
  const width = halves.getTotalSize();
  return (
    <>
      {failure}
      <div
        ref={scroller}
        className="schedule"
        role="grid"
        aria-label={t("pages.schedule")}
        aria-rowcount={count + 1}
        aria-busy={schedule.total === undefined}
        onFocus={focus.onFocus}
        onKeyDown={focus.onKeyDown}
      >
        <Head halves={halves.getVirtualItems()} width={width} from={beginning} zone={zone} />
        <div
          className="schedule-body"
          role="rowgroup"
          style={{ height: rows.getTotalSize(), width: `calc(var(--label) + ${width}px)` }}
        >
          {rows.getVirtualItems().map(({ index, start }) => (
            <ChannelRow
              key={index}
              index={index}
              top={start - 40}
              row={schedule.channel(index)}
              parts={schedule.parts(index)}
              from={drawn.times.from}
              to={drawn.times.to}
              offsetOf={offsetOf}
              now={now}
              isToday={now > span.from && now < span.to}
              zone={zone}
              search={plain(filter.search)}
              current={place.row === index ? place.at : undefined}
              onOpen={focus.openCell}
            />
          ))}
        </div>
      </div>
    </>
  );
}

/** Which rows and half-hours are drawn, and the programmes that are read for them. */
function useDrawn(scroller: RefObject<HTMLDivElement | null>, span: Blocks, filter: ScheduleFilter) {
  /** How many rows there were when they were read last. */
  const [known, setKnown] = useState<number>();
  const count = known ?? first;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 3,
    scrollMargin: 40,
  });
  const halves = useVirtualizer({
    horizontal: true,
    count: Math.round((span.to - span.from) / halfHour),
    getScrollElement: () => scroller.current,
    estimateSize: () => halfWidth,
    overscan: 2,
  });
  const visibleRows = rows.getVirtualItems();
  const visibleHalves = halves.getVirtualItems();
  const times = {
    from: span.from + (visibleHalves[0]?.index ?? 0) * halfHour,
    to: span.from + ((visibleHalves.at(-1)?.index ?? first) + 1) * halfHour,
  };
  const schedule = useSchedule({
    span,
    filter,
    rows: { first: visibleRows[0]?.index ?? 0, last: visibleRows.at(-1)?.index ?? first },
    times,
  });
  useEffect(() => {
    if (schedule.total !== undefined) setKnown(schedule.total);
  }, [schedule.total]);
  return { rows, halves, times, schedule, count, isKnown: (schedule.total ?? known) !== undefined };
}

interface GridFocusOptions extends Pick<GridProps, "span" | "isToday" | "onOpen"> {
  scroller: RefObject<HTMLDivElement | null>;
  drawn: ReturnType<typeof useDrawn>;
  offsetOf: (moment: number) => number;
}

/** The cell that has the focus, and what the arrows do with it. */
function useGridFocus({ scroller, drawn, span, isToday, offsetOf, onOpen }: GridFocusOptions) {
  const { rows, schedule, count } = drawn;
  const [place, setPlace] = useState<Place>({ row: 0, at: isToday ? Date.now() : span.from });
  const isMoved = useRef(false);

  // The cell that the arrows led to gets the focus once it is drawn.
  useEffect(() => {
    if (!isMoved.current) return;
    const cell = scroller.current?.querySelector<HTMLElement>('[data-current="true"]');
    if (cell && cell !== document.activeElement) cell.focus({ preventScroll: true });
  });

  const goTo = (next: Place) => {
    isMoved.current = true;
    setPlace(next);
    rows.scrollToIndex(next.row, { align: "auto" });
    const box = scroller.current;
    if (!box) return;
    const left = offsetOf(next.at);
    const seen = box.clientWidth - labelWidth(box);
    if (left < box.scrollLeft || left > box.scrollLeft + seen - halfWidth)
      box.scrollTo({ left: Math.max(0, left - halfWidth), behavior: "auto" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = stepOf(event, place, schedule, span, count, rows.getVirtualItems().length);
    if (next === "open") {
      const cell = cellAt(cellsOf(schedule.parts(place.row)), place.at);
      const channel = schedule.channel(place.row);
      if (channel && cell && !cell.isLoading) onOpen(channel.channelId, cell.from);
    } else if (next) goTo(next);
    else return;
    event.preventDefault();
  };
  /** The arrows go on from what has the focus, however it got it. */
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    const at = Number(target.dataset.from);
    const row = Number(target.closest<HTMLElement>('[role="row"]')?.ariaRowIndex) - 2;
    if (at && row >= 0) setPlace({ row, at });
  };
  const openCell = useCallback(
    (row: number, channel: number, at: number) => {
      setPlace({ row, at });
      onOpen(channel, at);
    },
    [onOpen],
  );
  return { place, setPlace, onKeyDown, onFocus, openCell };
}

interface HeadProps {
  halves: readonly { index: number; start: number }[];
  width: number;
  /** When the first half-hour begins. */
  from: number;
  zone: string;
}

/** The half-hours above the rows. */
function Head({ halves, width, from, zone }: HeadProps) {
  const { t } = useTranslation();
  return (
    <div
      className="schedule-head"
      role="row"
      aria-rowindex={1}
      style={{ width: `calc(var(--label) + ${width}px)` }}
    >
      <span role="columnheader" className="schedule-corner">
        {t("schedule.channel")}
      </span>
      <span role="columnheader" className="schedule-ticks" style={{ width }}>
        <span className="visually-hidden">{t("schedule.programmes")}</span>
        {halves.map(({ index, start }) => (
          <span key={index} className="schedule-tick tabular" style={{ left: start }} aria-hidden="true">
            {formatTimeIn(from + index * halfHour, zone)}
          </span>
        ))}
      </span>
    </div>
  );
}

function labelWidth(box: HTMLElement): number {
  return box.querySelector(".schedule-corner")?.clientWidth ?? 0;
}
