// The rows of the schedule as far as they are looked at: pages of channels in blocks of six hours, each read once.
import { useQueries } from "@tanstack/react-query";
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
export function blocksOf({ from, to }: Blocks): Blocks[] {
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
  const found = new Map<string, Schedule>();
  for (const [index, { page, index: of }] of requested.entries()) {
    const data = answers[index]?.data;
    if (data) found.set(`${page}:${of}`, data);
  }
  const at = (index: number, of: number) =>
    found.get(`${Math.floor(index / pageSize)}:${of}`)?.content[index % pageSize];
  const shown = narrow ? [{ ...span, index: 0 }] : blocks.map((one, index) => ({ ...one, index }));
  const failed = answers.find(({ error, data }) => error && !data);
  return {
    total: [...found.values()][0]?.totalElements,
    error: failed?.error ?? null,
    retry: () => {
      for (const answer of answers) if (answer.error) void answer.refetch();
    },
    channel: (index) => shown.map(({ index: of }) => at(index, of)).find(Boolean),
    parts: (index) => shown.map(({ from, to, index: of }) => ({ from, to, row: at(index, of) })),
  };
}
