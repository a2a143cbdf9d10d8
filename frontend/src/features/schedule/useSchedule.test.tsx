// The rows of the schedule while channels are added and removed: blocks of six hours are read at different times.
import { QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { ReactNode } from "react";
import { beforeEach, expect, test } from "vitest";
import { createQueryClient } from "../../api/queryClient";
import { server } from "../../testing/server";
import { hour } from "./days";
import type { ScheduleFilter } from "./queries";
import { pageSize } from "./queries";
import { type Blocks, type Rows, useSchedule } from "./useSchedule";

const filter: ScheduleFilter = { search: "", category: "", show: "", guide: "", reason: "", hours: "" };
const from = Date.parse("2026-11-20T00:00:00Z");
const span = { from, to: from + 24 * hour };
const hours = (first: number, last: number): Blocks => ({
  from: from + first * hour,
  to: from + last * hour,
});

let channels: number[];
let read: string[];
/** What a request answers instead of the channels. */
let instead: ((block: number) => number[]) | undefined;

beforeEach(() => {
  channels = [1, 2, 3];
  read = [];
  instead = undefined;
  server.use(
    http.get("/api/schedule", ({ request }) => {
      const query = new URL(request.url).searchParams;
      const block = (Date.parse(query.get("from") ?? "") - from) / (6 * hour);
      const page = Number(query.get("_page"));
      read.push(`${page}:${block}`);
      const found = instead?.(block) ?? channels;
      return HttpResponse.json({
        timeZone: "UTC",
        content: found
          .slice(page * pageSize, (page + 1) * pageSize)
          .map((id) => ({ channelId: id, channelNumber: id, title: `Canal ${id}`, programmes: [] })),
        totalElements: found.length,
      });
    }),
  );
});

function open(initial: { times: Blocks; rows: { first: number; last: number } }) {
  const client = createQueryClient();
  const seen: Rows[] = [];
  const opened = renderHook(
    (looked: typeof initial) => {
      const rows = useSchedule({ span, filter, ...looked });
      seen.push(rows);
      return rows;
    },
    {
      initialProps: initial,
      wrapper: ({ children }: { children: ReactNode }) => (
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      ),
    },
  );
  const idle = () => waitFor(() => expect(client.isFetching()).toBe(0));
  return { ...opened, seen, idle };
}

/** The channels whose programmes stand in a row. */
const inRow = (rows: Rows, index: number) => rows.parts(index).flatMap(({ row }) => row?.channelId ?? []);

test("a row has the programmes of its channel alone, also where a later block has another set of channels", async () => {
  const rows = { first: 0, last: 2 };
  const { result, rerender, seen } = open({ times: hours(0, 7), rows });
  await waitFor(() => expect(inRow(result.current, 0)).toEqual([1, 1]));
  channels = [2, 3, 4];
  rerender({ times: hours(7, 13), rows });
  await waitFor(() => expect(inRow(result.current, 0)).toEqual([2, 2]));
  expect(inRow(result.current, 2)).toEqual([4, 4]);
  for (const one of seen)
    for (const index of [0, 1, 2])
      for (const id of inRow(one, index)) expect(id).toBe(one.channel(index)?.channelId);
  // The block that had the former channels was read again, once.
  expect(read).toEqual(["0:0", "0:1", "0:2", "0:1"]);
});

test("a page of another number of channels has the pages before it read again", async () => {
  channels = Array.from({ length: 60 }, (_, index) => index + 1);
  const { result, rerender } = open({ times: hours(0, 5), rows: { first: 0, last: 10 } });
  await waitFor(() => expect(result.current.total).toBe(60));
  channels = channels.slice(1);
  rerender({ times: hours(0, 5), rows: { first: 45, last: 58 } });
  await waitFor(() => expect(result.current.channel(49)?.channelId).toBe(51));
  expect(result.current.channel(50)?.channelId).toBe(52);
  expect(result.current.total).toBe(59);
  expect(read).toEqual(["0:0", "1:0", "0:0"]);
});

test("blocks that never agree are not read again and again", async () => {
  instead = (block) => [block + 1];
  const rows = { first: 0, last: 2 };
  const { result, rerender, idle } = open({ times: hours(0, 7), rows });
  await waitFor(() => expect(result.current.total).toBe(1));
  // Both blocks, and three attempts to have them agree.
  await waitFor(() => expect(read).toHaveLength(5));
  await idle();
  rerender({ times: hours(0, 7), rows });
  await idle();
  expect(read).toHaveLength(5);
});
