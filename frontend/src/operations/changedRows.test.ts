// Optimistic changes of rows: lists without the row stay unchanged, and a cancelled read is repeated.
import { QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { createQueryClient } from "../api/queryClient";
import { forgetPages, stopReading, withRow } from "./changedLists";

interface Row {
  id: number;
  active: boolean;
}
const lists = ["films", "list"];
const put = (client: ReturnType<typeof createQueryClient>) =>
  client.setQueriesData<{ content: Row[] }>({ queryKey: lists }, (page) =>
    withRow<Row, { content: Row[] }>(
      page,
      ({ id }) => id === 1,
      (row) => ({ ...row, active: false }),
    ),
  );

test("a list without the row stays as stale as before", async () => {
  const client = createQueryClient();
  const [having, other] = [
    [...lists, "all"],
    [...lists, "inactive"],
  ];
  client.setQueryData(having, { content: [{ id: 1, active: true }] });
  client.setQueryData(other, { content: [{ id: 2, active: false }] });
  await client.invalidateQueries({ queryKey: other });
  put(client);
  expect(client.getQueryData(having)).toEqual({ content: [{ id: 1, active: false }] });
  expect(client.getQueryState(other)?.isInvalidated).toBe(true);
});

test.each([true, false])(
  "a list that is being read (%s) is read again once its row has changed",
  async (isRead) => {
    const client = createQueryClient();
    const queryKey = [...lists, "all"];
    client.setQueryData(queryKey, { content: [{ id: 1, active: true }] });
    const read = vi.fn(() => new Promise<never>(() => undefined));
    const observer = new QueryObserver(client, { queryKey, queryFn: read, staleTime: Infinity });
    const stop = observer.subscribe(() => undefined);
    if (isRead) void client.invalidateQueries({ queryKey: lists });
    const before = read.mock.calls.length;
    expect(before).toBe(isRead ? 1 : 0);
    const stopped = await stopReading(client, lists);
    put(client);
    expect(client.isFetching({ queryKey: lists })).toBe(0);
    forgetPages(client, lists, stopped);
    expect(read.mock.calls.length - before).toBe(isRead ? 1 : 0);
    expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
    stop();
  },
);
