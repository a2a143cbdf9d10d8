// Running work: which lists are reloaded, and the fallback without events.
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createQueryClient } from "../api/queryClient";
import { connection } from "../loading/release";
import { FakeStream, mockLocks, mockStreams, removeStreams } from "../testing/eventStream";
import { server } from "../testing/server";
import { follow } from "./follow";
import { type Activity, activityQuery, apply, type Job } from "./queries";

const job: Job = { kind: "OPERATION", id: 7, title: "movies", done: 10, total: 100, createdBy: "eva" };
const quiet: Activity = {
  jobs: [],
  ended: [],
  links: { down: 0, switchedOff: 0, lastSwitch: null, lastChange: 0 },
  reviews: { waiting: 2 },
  reports: { open: 1, newest: 9, lastChange: 20 },
};

function clientWith(known: Activity | undefined) {
  const client = createQueryClient();
  if (known) client.setQueryData(activityQuery.queryKey, known);
  const invalidated = vi.spyOn(client, "invalidateQueries");
  const keys = () => invalidated.mock.calls.map(([filters]) => filters?.queryKey?.join(" "));
  const current = () => client.getQueryData(activityQuery.queryKey);
  return { client, keys, known: current };
}

test.each<[string, Activity, Activity["jobs"], string[]]>([
  ["one that begins", quiet, [job], ["operations"]],
  ["one that goes on", { ...quiet, jobs: [job] }, [{ ...job, done: 20 }], []],
  ["one that ends", { ...quiet, jobs: [job] }, [], ["operations"]],
])("jobs: %s", (_, before, jobs, expected) => {
  const { client, keys, known } = clientWith(before);
  apply(client, "jobs", jobs);
  expect(keys()).toEqual(expected);
  expect(known()?.jobs).toEqual(jobs);
});

const ended = (title: string | null, kind: Job["kind"] = "OPERATION", second = 1) => ({
  kind,
  title,
  finishedDate: `2026-11-20T10:15:0${second}.000Z`,
});

test.each<[string, Activity["ended"], string[]]>([
  [
    "of films",
    [ended("movies", "OPERATION", 2)],
    [
      "operations",
      "contents movies list",
      "contents movies lookup",
      "contents completeness",
      "contents duplicates",
      "trash",
      "dashboards",
    ],
  ],
  [
    "of channels",
    [ended("movies"), ended("tv-channels")],
    [
      "operations",
      "contents tv-channels list",
      "contents tv-channels lookup",
      "contents completeness",
      "contents duplicates",
      "trash",
      "dashboards",
      "schedule",
      "guide-fetches",
      "playlist-sources",
      "epg-matches",
      "tv-channels streams",
    ],
  ],
  [
    "of users",
    [ended("movies"), ended("users")],
    [
      "operations",
      "users list",
      "users agents",
      "credits",
      "issues",
      "issue-assignees",
      "live-profiles subscribers",
      "renewals",
      "notices",
      "dashboards",
    ],
  ],
  ["a guide that was read", [ended("movies"), ended(null, "GUIDE_FETCH")], ["guide-fetches", "schedule"]],
  ["a playlist that was read", [ended("movies"), ended(null, "PLAYLIST_RUN")], ["playlist-sources"]],
  ["one that is not among the newest any more", [], []],
])("a job that ended without its start being observed: %s", (_, after, expected) => {
  const { client, keys, known } = clientWith({ ...quiet, ended: [ended("movies")] });
  apply(client, "ended", after);
  expect(keys()).toEqual(expected);
  expect(known()?.ended).toEqual(after);
});

test("an unchanged part reloads nothing", () => {
  const { client, keys } = clientWith(quiet);
  apply(client, "reports", { open: 1, newest: 9, lastChange: 20 });
  expect(keys()).toEqual([]);
  // One was assigned: as many are open as before.
  apply(client, "reports", { open: 1, newest: 9, lastChange: 21 });
  expect(keys()).toEqual(["issues", "dashboards"]);
  apply(client, "reviews", { waiting: 3 });
  expect(keys().slice(2)).toEqual(["epg-matches matching", "epg-matches waiting"]);
});

test("a part whose fields come in another order is unchanged", () => {
  const { client, keys } = clientWith({ ...quiet, jobs: [job] });
  apply(client, "reports", { lastChange: 20, newest: 9, open: 1 });
  apply(client, "links", { lastSwitch: null, switchedOff: 0, lastChange: 0, down: 0 });
  expect(keys()).toEqual([]);
});

test("links that went down or came up reload reports and streams; deactivations also the lists of channels", () => {
  const { client, keys } = clientWith(quiet);
  apply(client, "links", { down: 1, switchedOff: 0, lastSwitch: null, lastChange: 1 });
  expect(keys()).toEqual(["links", "issues list", "tv-channels streams"]);
  apply(client, "links", { down: 1, switchedOff: 1, lastSwitch: "2026-11-20T10:00:00.000Z", lastChange: 1 });
  expect(keys()).toEqual(
    expect.arrayContaining(["contents tv-channels list", "contents radio-stations list", "dashboards"]),
  );
});

test("a deactivation while another link comes up reloads the lists of channels", () => {
  const links = { down: 1, switchedOff: 1, lastSwitch: "2026-11-20T10:00:00.000Z", lastChange: 1 };
  const { client, keys } = clientWith({ ...quiet, links });
  // The links change before anything is switched.
  apply(client, "links", { ...links, down: 2, lastChange: 2 });
  expect(keys()).not.toContain("contents tv-channels list");
  apply(client, "links", { ...links, down: 2, lastChange: 2, lastSwitch: "2026-11-20T10:00:05.000Z" });
  expect(keys()).toContain("contents tv-channels list");
});

test("events before the first reading are ignored", () => {
  const { client, keys, known } = clientWith(undefined);
  apply(client, "jobs", [job]);
  expect(keys()).toEqual([]);
  expect(known()).toBeUndefined();
});

const stops: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  mockStreams();
});

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
  removeStreams();
});

function beginIn(known: Activity) {
  const tab = clientWith(known);
  stops.push(follow(tab.client));
  return tab;
}

test("one tab has the stream and forwards events to the others; when it closes, the next one opens a stream", async () => {
  mockLocks();
  const [first, second] = [beginIn(quiet), beginIn(quiet)];
  await vi.waitFor(() => expect(FakeStream.open).toHaveLength(1));
  FakeStream.open[0]?.send("jobs", [job]);
  await vi.waitFor(() => expect(second.known()?.jobs).toEqual([job]));
  expect(first.known()?.jobs).toEqual([job]);
  stops.shift()?.();
  await vi.waitFor(() => expect(FakeStream.open).toHaveLength(2));
  expect(FakeStream.open[0]?.readyState).toBe(FakeStream.CLOSED);
});

test("each tab knows whether the stream is connected", async () => {
  mockLocks();
  const isBack = vi.fn();
  window.addEventListener("online", isBack);
  stops.push(() => window.removeEventListener("online", isBack));
  beginIn(quiet);
  await vi.waitFor(() => expect(FakeStream.open).toHaveLength(1));
  // The first connection brings nothing back.
  FakeStream.open[0]?.onopen?.();
  expect(isBack).not.toHaveBeenCalled();
  FakeStream.open[0]?.onerror?.();
  expect(connection.isLost).toBe(true);
  FakeStream.open[0]?.onopen?.();
  expect(connection.isLost).toBe(false);
  expect(isBack).toHaveBeenCalledOnce();
  // Another tab has the stream.
  const other = new BroadcastChannel("cartelera-events");
  stops.push(() => other.close());
  other.postMessage({ part: "disconnected", data: "" });
  await vi.waitFor(() => expect(connection.isLost).toBe(true));
  other.postMessage({ part: "connected", data: "" });
  await vi.waitFor(() => expect(connection.isLost).toBe(false));
});

test("a stream that was refused is opened again", async () => {
  mockLocks();
  beginIn(quiet);
  await vi.waitFor(() => expect(FakeStream.open).toHaveLength(1));
  FakeStream.open[0]?.close();
  FakeStream.open[0]?.onerror?.();
  await vi.advanceTimersByTimeAsync(31_000);
  expect(FakeStream.open).toHaveLength(2);
});

test("the state is polled where no events arrive, and not while heartbeats arrive", async () => {
  mockLocks();
  const reads = vi.fn(() => HttpResponse.json({ ...quiet, jobs: [job] }));
  server.use(http.get("/api/activity", reads));
  const { known } = beginIn(quiet);
  await vi.waitFor(() => expect(FakeStream.open).toHaveLength(1));
  for (let beat = 0; beat < 4; beat++) {
    await vi.advanceTimersByTimeAsync(15_000);
    FakeStream.open[0]?.send("heartbeat", {});
  }
  expect(reads).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(known()?.jobs).toEqual([job]));
});

test("after a failed first reading, the first event reads the state again", async () => {
  mockLocks();
  let isAway = true;
  server.use(
    http.get("/api/activity", () =>
      isAway ? new HttpResponse(null, { status: 503 }) : HttpResponse.json({ ...quiet, jobs: [job] }),
    ),
  );
  const { client, known } = clientWith(undefined);
  stops.push(follow(client));
  await client.prefetchQuery(activityQuery);
  expect(client.getQueryState(activityQuery.queryKey)?.status).toBe("error");
  isAway = false;
  await vi.waitFor(() => expect(FakeStream.open).toHaveLength(1));
  FakeStream.open[0]?.send("heartbeat", {});
  await vi.waitFor(() => expect(known()?.jobs).toEqual([job]));
});

test("after a failed first reading without events, polling reads the state", async () => {
  server.use(http.get("/api/activity", () => new HttpResponse(null, { status: 503 })));
  const { client, known } = clientWith(undefined);
  stops.push(follow(client));
  await client.prefetchQuery(activityQuery);
  server.use(http.get("/api/activity", () => HttpResponse.json({ ...quiet, jobs: [job] })));
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(known()?.jobs).toEqual([job]));
});
