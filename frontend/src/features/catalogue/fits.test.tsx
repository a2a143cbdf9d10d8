// Which rows no longer belong to a list after a change in it.
import { QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { createQueryClient } from "../../api/queryClient";
import { server } from "../../testing/server";
import { fits } from "./fits";
import { useRepeatedNumbers } from "./useRepeatedNumbers";

test("a row fits by its number and by the last day of its change", () => {
  const row = { id: 1, channelNumber: 7, updatedDate: "2026-11-20T12:00:00Z", title: "Siete" };
  expect(fits(row, { channelNumber: "7", updatedDateFrom: "2026-11-21" })).toBe(true);
  expect(fits(row, { channelNumber: "8" })).toBe(false);
  expect(fits(row, { updatedDateTo: "2026-11-20" })).toBe(true);
  expect(fits(row, { updatedDateTo: "2026-11-19" })).toBe(false);
});

test("of repeated numbers, a channel that got another one is out, and so is the only one left with the old one", async () => {
  const requests: string[] = [];
  const repeated = ["9"];
  server.use(
    http.get("/api/tv-channels", ({ request }) => {
      const number = new URL(request.url).searchParams.get("channelNumber") ?? "";
      requests.push(number);
      const totalElements = repeated.includes(number) ? 2 : 0;
      return HttpResponse.json({ content: [], page: 0, size: 1, totalPages: 1, totalElements });
    }),
  );
  const client = createQueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const rows = [7, 7, 9].map((channelNumber, index) => ({ id: index + 1, version: 1, channelNumber }));
  const { result, rerender } = renderHook(
    (current: object[]) => useRepeatedNumbers("tv-channels", current, { duplicated: "true" }, "first page"),
    { wrapper, initialProps: rows },
  );
  expect([...result.current]).toEqual([]);
  expect(requests).toEqual([]);
  const changed = (version: number, channelNumber: number) =>
    rows.map((row) => (row.id === 1 ? { ...row, version, channelNumber } : row));
  rerender(changed(2, 8));
  await waitFor(() => expect([...result.current]).toEqual([1, 2]));
  expect(requests.toSorted()).toEqual(["7", "8"]);
  // One that is on another page has this number.
  rerender(changed(3, 9));
  await waitFor(() => expect([...result.current]).toEqual([2]));
});
