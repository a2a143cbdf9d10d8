// Running operations, and counts of pending work: loaded once, and updated by events.
import { type QueryClient, type QueryKey, queryOptions } from "@tanstack/react-query";
import { call } from "../api/client";
import { dashboardKey } from "../api/queryClient";
import type { components } from "../api/schema.gen";
import { changedLists } from "../operations/changedLists";

export type Activity = components["schemas"]["Activity"];
export type Job = Activity["jobs"][number];
type Ended = Activity["ended"][number];
export type Part = keyof Activity;

export const parts: readonly Part[] = ["jobs", "ended", "links", "reviews", "reports"];

const key = ["activity"] as const;

export const activityQuery = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => call("get", "/activity", { signal }),
  // Events say what differs; where none arrive, it is read again (`follow`).
  staleTime: Number.POSITIVE_INFINITY,
});

/** Reads it again, where no events arrive. */
export async function readAgain(client: QueryClient): Promise<void> {
  const read = await call("get", "/activity");
  if (!client.getQueryData(activityQuery.queryKey)) {
    client.setQueryData(activityQuery.queryKey, read);
    return;
  }
  for (const part of parts) apply(client, part, read[part]);
}

/** Reads it once more where the first reading failed: events say only what differs from it. */
export function readWhereItFailed(client: QueryClient): void {
  const state = client.getQueryState(activityQuery.queryKey);
  if (state?.status === "error" && !state.data) void client.refetchQueries({ queryKey: key });
}

/** Takes over a part of it, and has the lists read again that show what differs. */
export function apply<P extends Part>(client: QueryClient, part: P, value: Activity[P]): void {
  const before = client.getQueryData(activityQuery.queryKey);
  // Not loaded yet: the first load will be newer.
  if (!before) return;
  // An equal part stays the same object. The order of fields does not count: events have another one than the response.
  const after = client.setQueryData(activityQuery.queryKey, { ...before, [part]: value });
  if (!after || after[part] === before[part]) return;
  for (const queryKey of keysOf(part, before, after)) void client.invalidateQueries({ queryKey });
}

function keysOf(part: Part, before: Activity, after: Activity): QueryKey[] {
  if (part === "jobs") return keysOfJobs(before.jobs, after.jobs);
  if (part === "ended") return keysOfEnded(before.ended, after.ended);
  if (part === "links" && areSwitched(before.links, after.links))
    return [...shownBy.links, ...changedLists("tv-channels"), ...changedLists("radio-stations")];
  return shownBy[part];
}

/** Items were switched off or on. As many as before may be others: one that went off while another one came back. */
const areSwitched = (before: Activity["links"], after: Activity["links"]) =>
  before?.switchedOff !== after?.switchedOff || before?.lastSwitch !== after?.lastSwitch;

/**
 * What shows these parts. The review queue is none of it: its rows must not move while a user decides;
 * only its counts are read again.
 */
const shownBy: Record<Exclude<Part, "jobs" | "ended">, QueryKey[]> = {
  // A report whose link plays again is marked in the list.
  links: [["links"], ["issues", "list"], ["tv-channels", "streams"]],
  reviews: [
    ["epg-matches", "matching"],
    ["epg-matches", "waiting"],
  ],
  reports: [["issues"], dashboardKey],
};

/** What shows the jobs that began or ended. */
function keysOfJobs(before: readonly Job[], after: readonly Job[]): QueryKey[] {
  const idOf = ({ kind, id }: Job) => `${kind} ${id}`;
  const without = (jobs: readonly Job[], others: readonly Job[]) => {
    const ids = new Set(others.map(idOf));
    return jobs.filter((job) => !ids.has(idOf(job)));
  };
  return [...without(after, before), ...without(before, after)].flatMap(shownAs);
}

/** What shows jobs that ended, among them those that had not begun when it was read before, and what they have changed. */
function keysOfEnded(before: readonly Ended[], after: readonly Ended[]): QueryKey[] {
  const idOf = ({ kind, title, finishedDate }: Ended) => `${kind} ${title} ${finishedDate}`;
  const known = new Set(before.map(idOf));
  return after.filter((job) => !known.has(idOf(job))).flatMap((job) => [...shownAs(job), ...changedBy(job)]);
}

function shownAs({ kind }: Pick<Job, "kind">): QueryKey[] {
  switch (kind) {
    case "OPERATION":
      return [["operations"]];
    case "PLAYLIST_RUN":
      return [["playlist-sources"]];
    case "GUIDE_FETCH":
      return [["guide-fetches"]];
    case "MATCHING_RUN":
      return [["epg-matches", "matching"]];
  }
}

function changedBy({ kind, title }: Ended): QueryKey[] {
  if (kind === "OPERATION") return changedLists(title ?? "");
  if (kind === "GUIDE_FETCH") return [["schedule"]];
  return [];
}
