// What is under way, and how much waits for somebody: read at once, and kept up to date by events.
import { type QueryClient, type QueryKey, queryOptions } from "@tanstack/react-query";
import { call } from "../api/client";
import { dashboardKey } from "../api/queryClient";
import type { components } from "../api/schema.gen";
import { changedLists } from "../operations/changedLists";

export type Activity = components["schemas"]["Activity"];
export type Job = Activity["jobs"][number];
export type Part = keyof Activity;

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
  for (const part of ["jobs", "links", "reviews", "reports"] as const) apply(client, part, read[part]);
}

/** Reads it once more where the first reading failed: events say only what differs from it. */
export function readWhereItFailed(client: QueryClient): void {
  const state = client.getQueryState(activityQuery.queryKey);
  if (state?.status === "error" && !state.data) void client.refetchQueries({ queryKey: key });
}

/** Takes over a part of it, and has the lists read again that show what differs. */
export function apply<P extends Part>(client: QueryClient, part: P, value: Activity[P]): void {
  const before = client.getQueryData(activityQuery.queryKey);
  // Nobody has read it yet: what is read then is newer.
  if (!before || JSON.stringify(before[part]) === JSON.stringify(value)) return;
  client.setQueryData(activityQuery.queryKey, { ...before, [part]: value });
  const after = client.getQueryData(activityQuery.queryKey);
  const keys =
    part === "jobs" ? keysOfJobs(before.jobs, after?.jobs ?? []) : keysOf[part as Exclude<Part, "jobs">];
  for (const queryKey of keys) void client.invalidateQueries({ queryKey });
}

/**
 * What shows these parts. The review queue is none of it: its rows are not to move under the hands of whoever decides;
 * only its counts are read again.
 */
const keysOf: Record<Exclude<Part, "jobs">, QueryKey[]> = {
  links: [["links"]],
  reviews: [
    ["epg-matches", "matching"],
    ["epg-matches", "waiting"],
  ],
  reports: [["issues"], dashboardKey],
};

/** What shows the jobs that began or ended, and what those that ended have changed. */
function keysOfJobs(before: readonly Job[], after: readonly Job[]): QueryKey[] {
  const idOf = ({ kind, id }: Job) => `${kind} ${id}`;
  const without = (jobs: readonly Job[], others: readonly Job[]) => {
    const ids = new Set(others.map(idOf));
    return jobs.filter((job) => !ids.has(idOf(job)));
  };
  const ended = without(before, after);
  return [...without(after, before).flatMap(shownAs), ...ended.flatMap(shownAs), ...ended.flatMap(changedBy)];
}

function shownAs({ kind }: Job): QueryKey[] {
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

function changedBy({ kind, title }: Job): QueryKey[] {
  if (kind === "OPERATION") return changedLists(title ?? "");
  if (kind === "GUIDE_FETCH") return [["schedule"]];
  return [];
}
