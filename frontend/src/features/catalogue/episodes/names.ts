// How episodes are called and found, and where seasons and episodes of any show are opened.
import { paths } from "../../../routing/paths";
import { plain } from "../../../ui/plain";

interface Named {
  seasonNumber: number;
  episodeNumber: number;
  title: string;
}

/** «S1E4: Cat's in the Bag...» */
export function episodeName(episode: Named): string {
  return `${episodePlace(episode)}: ${episode.title}`;
}

/** «S1E4» */
export function episodePlace({ seasonNumber, episodeNumber }: Omit<Named, "title">): string {
  return `S${seasonNumber}E${episodeNumber}`;
}

/**
 * Those of one season (0: of all) whose title contains the words, or whose number is written like them: what the server
 * finds by `titleOrNumber`.
 */
export function matching<E extends Named>(
  episodes: readonly E[],
  season: number,
  search: string,
): readonly E[] {
  const wanted = plain(search);
  if (season === 0 && wanted === "") return episodes;
  return episodes.filter(
    (episode) =>
      (season === 0 || episode.seasonNumber === season) &&
      (plain(episode.title).includes(wanted) || String(episode.episodeNumber).includes(wanted)),
  );
}

export function seasonsOf(episodes: readonly Named[]): number[] {
  return [...new Set(episodes.map((episode) => episode.seasonNumber))].sort((one, other) => one - other);
}

/** Where the next new episode most likely belongs: after the last of the season that is looked at. */
export function nextNumbers(episodes: readonly Named[], season: number) {
  const seasonNumber = season || seasonsOf(episodes).at(-1) || 1;
  const numbers = episodes
    .filter((episode) => episode.seasonNumber === seasonNumber)
    .map((episode) => episode.episodeNumber);
  return { seasonNumber, episodeNumber: Math.max(0, ...numbers) + 1 };
}

interface PartOfShow {
  id: number;
  tvShowId: number;
  seasonNumber: number;
}

/** The address of the form of a season, on the page of its show, for users who may edit it. */
export function seasonAddress({ id, tvShowId }: PartOfShow): string {
  return `${paths.episodes(tvShowId)}?tab=seasons&edit=${id}`;
}

/** The address of the form of an episode; for users who may only read, of the list of its season. */
export function episodeAddress({ id, tvShowId, seasonNumber }: PartOfShow, mayEdit: boolean): string {
  return mayEdit ? paths.episode(tvShowId, id) : `${paths.episodes(tvShowId)}?season=${seasonNumber}`;
}
