// Playlist sources in the server's own shapes, the requests about them, and what it changes.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import { uploadPlaylist } from "../../api/resourceFiles";
import type { ObjectRule } from "../../api/rule";
import { rules } from "../../api/rules.gen";
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { onAir } from "../../operations/changedLists";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";

export type Source = components["schemas"]["PlaylistSource"];
export type SourceDraft = components["schemas"]["PlaylistSourceDraft"];
export type Run = components["schemas"]["PlaylistRun"];
export type Entry = components["schemas"]["PlaylistEntry"];
export type Applied = components["schemas"]["AppliedPlaylistEntries"];
type ApplyRequest = components["schemas"]["ApplyPlaylistEntries"];

/** Which entries are applied. */
export type AppliedEntries = Omit<ApplyRequest, "replaceEdited">;

const { properties, ...draftRule } = rules.PlaylistSourceDraft;

/** The address of a list has the provider's user and password, as often as not. */
export const sourceRule: ObjectRule = {
  ...draftRule,
  properties: { ...properties, url: { ...properties.url, hasCredentials: Boolean } },
};

/** What the list of changes can be filtered by. */
type Change = "NEW" | "CHANGED" | "UNCHANGED" | "MISSING";

/** How often a run that is under way is read again, in milliseconds. */
const pollInterval = 700;
/** Runs that are shown: as many as are kept, the newest 50 and the newest good one. */
const shownRuns = 51;

const keys = {
  all: ["playlist-sources"] as const,
  lists: ["playlist-sources", "list"] as const,
  one: (id: number) => ["playlist-sources", "one", id] as const,
};

export const isUnfinished = (run: Run | null | undefined) =>
  run?.state === "WAITING" || run?.state === "RUNNING";

export const playlistQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...keys.lists, state],
      queryFn: ({ signal }) => call("get", "/playlist-sources", { query: listQuery(state), signal }),
      staleTime: freshness.counts,
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) =>
        data?.content.some(({ lastRun }) => isUnfinished(lastRun)) ? pollInterval : false,
    }),

  one: (id: number) =>
    queryOptions({
      queryKey: keys.one(id),
      queryFn: ({ signal }) => call("get", `/playlist-sources/${id}`, { signal }),
      staleTime: 0,
    }),

  runs: (id: number) =>
    queryOptions({
      queryKey: [...keys.one(id), "runs"],
      queryFn: ({ signal }) =>
        call("get", `/playlist-sources/${id}/runs`, { query: { _size: shownRuns }, signal }),
      staleTime: 0,
      refetchInterval: ({ state: { data } }) => (data?.content.some(isUnfinished) ? pollInterval : false),
    }),

  changes: (id: number, run: number, state: ListState) =>
    queryOptions({
      queryKey: [...keys.one(id), "changes", run, state],
      queryFn: ({ signal }) =>
        call("get", `/playlist-sources/${id}/runs/${run}/changes`, { query: changesQuery(state), signal }),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),

  counts: (id: number, run: number) =>
    queryOptions({
      queryKey: [...keys.one(id), "counts", run],
      queryFn: ({ signal }) => call("get", `/playlist-sources/${id}/runs/${run}/counts`, { signal }),
      staleTime: 0,
    }),

  groups: (id: number) =>
    queryOptions({
      queryKey: [...keys.one(id), "groups"],
      queryFn: ({ signal }) => call("get", `/playlist-sources/${id}/groups`, { signal }),
      staleTime: freshness.counts,
    }),

  lines: (id: number, run: number, change: "DUPLICATE" | "REFUSED", page: number) =>
    queryOptions({
      queryKey: [...keys.one(id), "lines", run, change, page],
      queryFn: ({ signal }) =>
        call("get", `/playlist-sources/${id}/runs/${run}/lines`, {
          query: { change, _page: page, _size: 50 },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),

  /** Channels that have these words, or this number. */
  channels: (search: string) =>
    queryOptions({
      queryKey: ["playlist-channels", search],
      queryFn: ({ signal }) => call("get", "/tv-channels", { query: { search, _size: 20 }, signal }),
      staleTime: freshness.counts,
      placeholderData: keepPreviousData,
    }),
};

/** What differs is shown, unless something else is requested; what is ignored, where that is. */
export function shownFilter({ filters }: Pick<ListState, "filters">) {
  const ignored = filters.ignored === "true";
  return { ignored, change: filters.change || (ignored ? undefined : "NEW,CHANGED,MISSING") };
}

/** What the list of changes asks for. */
export function changesQuery(state: ListState) {
  const { change, ignored } = shownFilter(state);
  const changes = change?.split(",") as Change[] | undefined;
  return { ...listQuery(state), change: changes, ignored };
}

const applied = ["NEW", "CHANGED"];

/** Whether applying does anything with entries of this kind. */
export const isApplied = (change: string) => applied.includes(change);

/** The shown changes of which something can be applied. */
export const appliedChanges = (shown: string | undefined) =>
  applied.filter((one) => shown === undefined || shown.split(",").includes(one));

export function useCreateSource() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, idempotencyKey }: { draft: SourceDraft; idempotencyKey: string }) =>
      call("post", "/playlist-sources", { body: draft, idempotencyKey }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.lists }),
  });
}

export function useSaveSource(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, version }: { draft: SourceDraft; version: number }) =>
      call("put", `/playlist-sources/${id}`, { body: draft, ifVersion: version }),
    onSuccess: (saved) => {
      client.setQueryData(keys.one(id), saved);
      return client.invalidateQueries({ queryKey: keys.all });
    },
  });
}

/** Gives groups their categories. */
export function useSaveGroups(
  { id, version }: Pick<Source, "id" | "version">,
  onConflict: (current: Source) => void,
) {
  const client = useQueryClient();
  return useMutation<Source, Problem, SourceDraft["categories"]>({
    mutationFn: (categories) =>
      call("patch", `/playlist-sources/${id}`, { body: { categories }, ifVersion: version }),
    onSuccess: (saved) => {
      client.setQueryData(keys.one(id), saved);
      toast.success(t("playlists.groups.saved"));
    },
    onError: ({ code, current }) => {
      if (code === "VERSION_CONFLICT" && current) onConflict(current as Source);
    },
    // Also after a failure.
    onSettled: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}

export function useDeleteSource() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, Source>({
    mutationFn: ({ id, version }) => call("delete", `/playlist-sources/${id}`, { ifVersion: version }),
    onSuccess: (_answer, { id, title }) => {
      toast.success(t("playlists.deleted", { title }));
      client.removeQueries({ queryKey: keys.one(id) });
    },
    onError: (problem, { title }) => toast.failure(t("playlists.notDeleted", { title }), messageOf(problem)),
    onSettled: () => client.invalidateQueries({ queryKey: keys.lists }),
  });
}

/** Reads the list of a source: fetched, or out of a file. */
export function useRead({ id, title }: Pick<Source, "id" | "title">) {
  const client = useQueryClient();
  return useMutation<Run, Problem, { file?: File; acceptLoss?: boolean }>({
    mutationFn: ({ file, acceptLoss = false }) =>
      file
        ? uploadPlaylist(id, file, acceptLoss)
        : call("post", `/playlist-sources/${id}/runs`, { body: { acceptLoss } }),
    onError: (problem) => toast.failure(t("playlists.notRead", { title }), messageOf(problem)),
    onSettled: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}

export function useIgnore(id: number) {
  const client = useQueryClient();
  return useMutation<{ changed: number }, Problem, components["schemas"]["IgnorePlaylistEntries"]>({
    mutationFn: (body) => call("post", `/playlist-sources/${id}/ignored`, { body }),
    onError: (problem) => toast.failure(t("playlists.notIgnored"), messageOf(problem)),
    onSettled: () => client.invalidateQueries({ queryKey: keys.one(id) }),
  });
}

/** Says which missing entry a new one is. */
export function useMergeEntries(source: number) {
  const client = useQueryClient();
  return useMutation<unknown, Problem, { id: number; missingId: number }>({
    mutationFn: ({ id, missingId }) =>
      call("post", `/playlist-sources/${source}/entries/${id}/merge`, { body: { missingId } }),
    onSuccess: () => toast.success(t("playlists.entry.merged")),
    onError: (problem) => toast.failure(t("playlists.entry.notMerged"), messageOf(problem)),
    onSettled: () => client.invalidateQueries({ queryKey: keys.one(source) }),
  });
}

/** Makes an entry a further stream of a channel. */
export function useAddStream(source: number) {
  const client = useQueryClient();
  return useMutation<Applied, Problem, { id: number; channelId: number }>({
    mutationFn: ({ id, channelId }) =>
      call("post", `/playlist-sources/${source}/entries/${id}/stream`, { body: { channelId } }),
    // Another user may have used the entry.
    onError: () => client.invalidateQueries({ queryKey: keys.one(source) }),
  });
}

/** Makes entries further streams, each of its channel: all of them or none. */
export function useAddStreams(source: number) {
  const client = useQueryClient();
  return useMutation<Applied, Problem, components["schemas"]["AddedStream"][]>({
    mutationFn: (streams) => call("post", `/playlist-sources/${source}/streams`, { body: { streams } }),
    // After a failure, too: another user may have used one of the entries.
    onSettled: () => client.invalidateQueries({ queryKey: keys.one(source) }),
  });
}

export function useApply(id: number, run: number) {
  const client = useQueryClient();
  return useMutation<Applied, Problem, ApplyRequest>({
    mutationFn: (body) => call("post", `/playlist-sources/${id}/runs/${run}/apply`, { body }),
    // A later run, or another number of entries: what is shown is not what it is any more.
    onError: () => client.invalidateQueries({ queryKey: keys.one(id) }),
  });
}

/** Reads a source anew once something of it was applied. */
export function useApplied(id: number) {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: keys.one(id) });
    // Channels, their streams and radio stations are others now.
    for (const queryKey of [["contents"], ["tv-channels", "streams"], ...onAir("tv-channels")])
      void client.invalidateQueries({ queryKey });
  };
}
