// All requests of the panel about the seasons and episodes of a show, and what it keeps of the answers.
import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { call } from "../../../api/client";
import { largestPage, type Page } from "../../../api/page";
import { messageOf } from "../../../api/problem";
import { dashboardKey, freshness } from "../../../api/queryClient";
import type { components } from "../../../api/schema.gen";
import { t } from "../../../i18n";
import { forgetPages, isBehind, rowFieldsOf, stopReading } from "../../../operations/changedLists";
import { toast } from "../../../ui/toast";
import type { Stored } from "../contents";
import { contentKeys, trashKey } from "../queries";
import { sayDeleted } from "../uses";
import { episodeName } from "./names";

type Schemas = components["schemas"];
export type Show = Stored<"tv-shows">;
export type Episode = Schemas["Episode"];
export type StoredEpisode = Schemas["StoredEpisode"];
export type EpisodeRow = Schemas["EpisodeRow"];
export type FoundEpisode = Schemas["EpisodeDraftFields"];
export type Season = Schemas["Season"];
export type StoredSeason = Schemas["StoredSeason"];
export type SeasonRow = Schemas["SeasonRow"];

const keys = {
  show: (showId: number) => ["series", showId] as const,
  episodes: (showId: number) => ["series", showId, "episodes"] as const,
  seasons: (showId: number) => ["series", showId, "seasons"] as const,
  episode: (id: number) => ["series", "episode", id] as const,
  season: (id: number) => ["series", "season", id] as const,
};

/** Every row there is, page after page; most shows fit on the first. */
async function everyRow<R>(
  load: (query: { _page: number; _size: number; _sort: string }) => Promise<Page<R>>,
  sort: string,
): Promise<R[]> {
  const rows: R[] = [];
  for (let page = 0, pages = 1; page < pages; page++) {
    const answer = await load({ _page: page, _size: largestPage, _sort: sort });
    rows.push(...answer.content);
    pages = answer.totalPages;
  }
  return rows;
}

export const seriesQueries = {
  episodes: (showId: number) =>
    queryOptions({
      queryKey: keys.episodes(showId),
      queryFn: ({ signal }) =>
        everyRow(
          (query) => call("get", `/tv-shows/${showId}/episodes`, { query, signal }),
          "+seasonNumber,+episodeNumber",
        ),
      staleTime: freshness.lists,
    }),
  seasons: (showId: number) =>
    queryOptions({
      queryKey: keys.seasons(showId),
      queryFn: ({ signal }) =>
        everyRow((query) => call("get", `/tv-shows/${showId}/seasons`, { query, signal }), "+seasonNumber"),
      staleTime: freshness.lists,
    }),
  episode: (id: number) =>
    queryOptions({
      queryKey: keys.episode(id),
      queryFn: ({ signal }) => call("get", `/episodes/${id}`, { signal }),
      staleTime: 0,
    }),
  /** Episodes of any show, one of whose first three links has this address. */
  withLink: (linkUrl: string) =>
    queryOptions({
      queryKey: ["series", "withLink", linkUrl],
      queryFn: ({ signal }) => call("get", "/episodes", { query: { _page: 0, _size: 10, linkUrl }, signal }),
      staleTime: freshness.lists,
    }),
  season: (id: number) =>
    queryOptions({
      queryKey: keys.season(id),
      queryFn: ({ signal }) => call("get", `/seasons/${id}`, { signal }),
      staleTime: 0,
    }),
};

/** How much goes with a show that is deleted. */
export async function contentsOfShow(showId: number): Promise<{ seasons: number; episodes: number }> {
  const total = async (part: "seasons" | "episodes") =>
    (await call("get", `/tv-shows/${showId}/${part}`, { query: { _page: 0, _size: 1 } })).totalElements;
  const [seasons, episodes] = await Promise.all([total("seasons"), total("episodes")]);
  return { seasons, episodes };
}

/** An episode brings its season along, and a season counts its episodes: what changes one, changes both. */
function forgetParts(client: QueryClient, showId: number) {
  void client.invalidateQueries({ queryKey: trashKey });
  void client.invalidateQueries({ queryKey: dashboardKey });
  void client.invalidateQueries({ queryKey: ["contents", "completeness"] });
  // The row of the show says how many episodes there are.
  for (const kind of ["tv-shows", "seasons", "episodes"] as const)
    void client.invalidateQueries({ queryKey: contentKeys.lists(kind) });
  return client.invalidateQueries({ queryKey: keys.show(showId) });
}

export function useSaveEpisode(showId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (save: { id?: number; version?: number; draft: Episode; idempotencyKey?: string }) =>
      save.id === undefined
        ? call("post", `/tv-shows/${showId}/episodes`, {
            body: save.draft,
            idempotencyKey: save.idempotencyKey,
          })
        : // An earlier version may be of another show, which the path of this one refuses.
          call(
            "put",
            save.draft.tvShowId === showId
              ? `/tv-shows/${showId}/episodes/${save.id}`
              : `/episodes/${save.id}`,
            { body: save.draft, ifVersion: save.version },
          ),
    onSuccess: (saved) => {
      if (saved.tvShowId === showId) client.setQueryData(keys.episode(saved.id), saved);
      else void forgetParts(client, saved.tvShowId);
      return forgetParts(client, showId);
    },
  });
}

/** Many at once: all of them, or none. */
export function useCreateEpisodes(showId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ episodes, idempotencyKey }: { episodes: Episode[]; idempotencyKey: string }) =>
      call("post", `/tv-shows/${showId}/episodes/batch`, { body: { episodes }, idempotencyKey }),
    onSettled: () => forgetParts(client, showId),
  });
}

interface Part {
  id: number;
  version: number;
  active: boolean;
}

/** Optimistic; a refusal reverts it and shows the reason. One change of a row at a time. */
function useTogglePart<R extends Part>(
  kind: "seasons" | "episodes",
  key: readonly unknown[],
  send: (id: number, active: boolean) => Promise<Part>,
) {
  const client = useQueryClient();
  const underWay = useRef(new Set<number>());
  const put = (id: number, change: Partial<R>) =>
    client.setQueryData<R[]>(key, (rows) =>
      rows?.map((row) => (row.id === id ? { ...row, ...change } : row)),
    );
  const { mutate } = useMutation({
    mutationFn: ({ row, active }: { row: R; active: boolean; name: string }) => send(row.id, active),
    onMutate: async ({ row, active }) => {
      const stopped = await stopReading(client, key);
      put(row.id, { active } as Partial<R>);
      return { stopped };
    },
    onSuccess: (saved, { row }) => {
      put(row.id, rowFieldsOf(saved, row));
      if (isBehind(row, saved)) void client.invalidateQueries({ queryKey: key });
      void client.invalidateQueries({ queryKey: contentKeys.lists(kind) });
    },
    onError: (problem, { row, active, name }) => {
      console.warn("toggle failed", problem);
      put(row.id, { active: !active } as Partial<R>);
      toast.failure(
        active ? t("contents.notActivated", { name }) : t("contents.notDeactivated", { name }),
        messageOf(problem),
      );
    },
    onSettled: (_saved, _problem, { row }, context) => {
      underWay.current.delete(row.id);
      if (context?.stopped) forgetPages(client, key, context.stopped);
    },
  });
  return useCallback(
    (row: R, active: boolean, name: string) => {
      if (underWay.current.has(row.id)) return;
      underWay.current.add(row.id);
      mutate({ row, active, name });
    },
    [mutate],
  );
}

export function useToggleEpisode(showId: number) {
  return useTogglePart<EpisodeRow>("episodes", keys.episodes(showId), (id, active) =>
    call("patch", `/tv-shows/${showId}/episodes/${id}/status`, { body: { active } }),
  );
}

export function useToggleSeason(showId: number) {
  return useTogglePart<SeasonRow>("seasons", keys.seasons(showId), (id, active) =>
    call("patch", `/seasons/${id}/status`, { body: { active } }),
  );
}

function useDeletePart<R extends Part>(
  resource: "seasons" | "episodes",
  showId: number,
  send: (row: R) => Promise<unknown>,
  nameOf: (row: R) => string,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (_answer, row) => sayDeleted(resource, row.id, nameOf(row), () => forgetParts(client, showId)),
    onError: (problem, row) => {
      console.warn("delete failed", problem);
      toast.failure(t("contents.notDeleted", { name: nameOf(row) }), messageOf(problem));
    },
    // Also after a failure: the item may be deleted or changed already.
    onSettled: () => forgetParts(client, showId),
  }).mutate;
}

export function useDeleteEpisode(showId: number) {
  return useDeletePart<EpisodeRow>(
    "episodes",
    showId,
    ({ id, version }) => call("delete", `/tv-shows/${showId}/episodes/${id}`, { ifVersion: version }),
    episodeName,
  );
}

export function useDeleteSeason(showId: number, nameOf: (season: SeasonRow) => string) {
  return useDeletePart<SeasonRow>(
    "seasons",
    showId,
    ({ id, version }) => call("delete", `/seasons/${id}`, { ifVersion: version }),
    nameOf,
  );
}

export function useSaveSeason(showId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (save: { id?: number; version?: number; draft: Season }) =>
      save.id === undefined
        ? call("post", "/seasons", { body: save.draft })
        : call("put", `/seasons/${save.id}`, { body: save.draft, ifVersion: save.version }),
    onSuccess: (saved) => {
      client.setQueryData(keys.season(saved.id), saved);
      return forgetParts(client, showId);
    },
  });
}

/** The episodes of one season, as the film database lists them. */
export function findSeason(imdbId: string, season: number) {
  return call("get", `/lookup/titles/${imdbId}/episodes`, { query: { season } });
}
