// The rows of the schedule as far as they are looked at: pages of channels in blocks of six hours. Blocks are read at
// different times, and channels come and go between: a row is one channel in all blocks, by its id.
import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Part } from "./cells";
import { block } from "./days";
import {
  isFinding,
  pageSize,
  type Row,
  type Schedule,
  type ScheduleFilter,
  scheduleQueries,
} from "./queries";

export interface Blocks {
  from: number;
  to: number;
}

/** The blocks of a span. The last one is shorter on days of 25 hours. */
function blocksOf({ from, to }: Blocks): Blocks[] {
  const blocks: Blocks[] = [];
  for (let start = from; start < to; start += block)
    blocks.push({ from: start, to: Math.min(start + block, to) });
  return blocks;
}

interface Looked {
  span: Blocks;
  filter: ScheduleFilter;
  /** The rows that are looked at, and the times. */
  rows: { first: number; last: number };
  times: Blocks;
}

export interface Rows {
  total: number | undefined;
  error: Error | null;
  retry: () => void;
  /** The channel of a row, where it was read. */
  channel: (index: number) => Row | undefined;
  parts: (index: number) => Part[];
}

export function useSchedule({ span, filter, rows, times }: Looked): Rows {
  const blocks = blocksOf(span);
  const wanted = blocks
    .map((one, index) => ({ ...one, index }))
    .filter(({ from, to }) => from < times.to && to > times.from);
  const pages: number[] = [];
  for (let page = Math.floor(rows.first / pageSize); page <= Math.floor(rows.last / pageSize); page++)
    pages.push(page);
  // A filter by programmes looks at the whole day: what matches in one block must have its row in all.
  const narrow = filter.search !== "" || (isFinding(filter.show) && filter.hours === "");
  const requested = narrow
    ? pages.map((page) => ({ page, index: 0, from: span.from, to: span.to }))
    : pages.flatMap((page) => wanted.map((one) => ({ page, ...one })));
  const answers = useQueries({
    queries: requested.map(({ page, from, to }) => scheduleQueries.page(from, to, page, filter)),
  });
  const found = new Map<string, Answer>();
  /** The answer of each page that was read last: its channels are the rows. */
  const newest = new Map<number, Answer>();
  for (const [index, { page, index: of }] of requested.entries()) {
    const answer = answers[index];
    if (!answer?.data) continue;
    found.set(`${page}:${of}`, answer);
    newest.set(page, laterOf(newest.get(page), answer));
  }
  const last = [...newest.values()].reduce(laterOf, undefined as Answer | undefined);
  const outdated = requested.flatMap(({ page, index: of }) => {
    const answer = found.get(`${page}:${of}`);
    return answer && !(isSameSet(answer, newest.get(page)) && isSameTotal(answer, last)) ? [answer] : [];
  });
  useReadAgain(outdated);

  const channel = (index: number) =>
    newest.get(Math.floor(index / pageSize))?.data?.content[index % pageSize];
  const at = (index: number, of: number) => {
    const content = found.get(`${Math.floor(index / pageSize)}:${of}`)?.data?.content;
    const id = channel(index)?.channelId;
    const there = content?.[index % pageSize];
    return there?.channelId === id ? there : content?.find(({ channelId }) => channelId === id);
  };
  const shown = narrow ? [{ ...span, index: 0 }] : blocks.map((one, index) => ({ ...one, index }));
  const failed = answers.find(({ error, data }) => error && !data);
  return {
    total: last?.data?.totalElements,
    error: failed?.error ?? null,
    retry: () => {
      for (const answer of answers) if (answer.error) void answer.refetch();
    },
    channel,
    parts: (index) => shown.map(({ from, to, index: of }) => ({ from, to, row: at(index, of) })),
  };
}

type Answer = UseQueryResult<Schedule>;

const laterOf = (one: Answer | undefined, other: Answer) =>
  one && one.dataUpdatedAt >= other.dataUpdatedAt ? one : other;

/** The same channels, in the same order. */
function isSameSet({ data: one }: Answer, other: Answer | undefined): boolean {
  const rows = other?.data?.content ?? [];
  return (
    one?.content.length === rows.length &&
    one.content.every(({ channelId }, index) => channelId === rows[index]?.channelId)
  );
}

const isSameTotal = ({ data: one }: Answer, other: Answer | undefined) =>
  one?.totalElements === other?.data?.totalElements;

/** So often in a row is tried to have all of them alike; where the server never agrees with itself, they stay as they are. */
const mostAttempts = 3;

/** Reads what has another set of channels than was read last. */
function useReadAgain(outdated: readonly Answer[]): void {
  const attempts = useRef(0);
  useEffect(() => {
    if (outdated.length === 0) attempts.current = 0;
    const waiting = outdated.filter(({ isFetching }) => !isFetching);
    if (waiting.length === 0 || attempts.current >= mostAttempts) return;
    attempts.current += 1;
    for (const answer of waiting) void answer.refetch();
  });
}
