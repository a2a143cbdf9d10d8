// The current and next programmes of channels. Rows rendered together share one request for a page of a list.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../api/client";
import { freshness } from "../api/queryClient";
import type { components } from "../api/schema.gen";

type ScheduleRow = components["schemas"]["ScheduleRow"];
type NowNext = Pick<ScheduleRow, "programmes" | "without"> & { timeZone: string };

type Programme = ScheduleRow["programmes"][number];

/** What is on, and what comes next: of programmes that overlap, the one that began last is on. */
export function onAndNext(programmes: readonly Programme[], now: number) {
  return {
    on: programmes.findLast(({ start, stop }) => Date.parse(start) <= now && Date.parse(stop) > now),
    next: programmes.find(({ start }) => Date.parse(start) > now),
  };
}

/** An answer has the programmes of six hours: it is read again with each half-hour. */
const halfHour = 30 * 60_000;

/** Channels that one request asks for. */
const most = 100;

type Waiting = { resolve: (row: NowNext | null) => void; reject: (reason: unknown) => void };
let waiting = new Map<number, Waiting[]>();

async function askFor(channels: Map<number, Waiting[]>) {
  try {
    const answer = await call("get", "/schedule", {
      query: { ids: [...channels.keys()], _size: channels.size },
    });
    const rows = new Map(answer.content.map((row) => [row.channelId, row]));
    for (const [id, all] of channels) {
      const row = rows.get(id);
      // An inactive channel has no row.
      for (const { resolve } of all) resolve(row ? { ...row, timeZone: answer.timeZone } : null);
    }
  } catch (reason) {
    for (const all of channels.values()) for (const { reject } of all) reject(reason);
  }
}

function ask() {
  const entries = [...waiting];
  waiting = new Map();
  for (let first = 0; first < entries.length; first += most)
    void askFor(new Map(entries.slice(first, first + most)));
}

const key = ["schedule", "nowNext"];

/** The rows that failed: they failed with one request, and are read again with one. */
export const failedRows = {
  queryKey: key,
  type: "active",
  predicate: ({ state }: { state: { status: string } }) => state.status === "error",
} as const;

export const nowNextOf = (channel: number, now: number) =>
  queryOptions({
    queryKey: [...key, channel, Math.floor(now / halfHour)],
    queryFn: () =>
      new Promise<NowNext | null>((resolve, reject) => {
        // All rows of a page are drawn before the next task.
        if (waiting.size === 0) setTimeout(ask);
        waiting.set(channel, [...(waiting.get(channel) ?? []), { resolve, reject }]);
      }),
    staleTime: freshness.counts,
    placeholderData: keepPreviousData,
  });
