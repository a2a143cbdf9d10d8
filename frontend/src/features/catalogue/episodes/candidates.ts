// Converts results of the film database into episodes of this show.
import { rules } from "../../../api/rules.gen";
import { violationsOf } from "../../../forms/rules";
import type { Episode, EpisodeRow, FoundEpisode } from "./queries";

/** An episode that was found, with the fields that an episode of this show needs. */
export interface Candidate {
  key: number;
  episode: Omit<Episode, "links" | "durationMinutes"> & { durationMinutes?: number };
  exists: boolean;
}

export function candidatesOf(
  tvShowId: number,
  season: number,
  found: readonly FoundEpisode[],
  existing: readonly EpisodeRow[],
  untitled: (number: number) => string,
): Candidate[] {
  const numbers = new Set(
    existing.filter((episode) => episode.seasonNumber === season).map((episode) => episode.episodeNumber),
  );
  const known = new Set<number>();
  return found.map((one, index) => {
    const episodeNumber = one.episodeNumber ?? index + 1;
    // The same key in another search of the season; the second of two episodes with one number has a different key.
    const key = known.has(episodeNumber) ? -index - 1 : episodeNumber;
    known.add(key);
    return {
      key,
      exists: numbers.has(episodeNumber),
      episode: {
        tvShowId,
        seasonNumber: season,
        episodeNumber,
        title: titleOf(one.title ?? "", untitled(episodeNumber)),
        imdbId: one.imdbId ?? null,
        airDate: one.airDate ?? null,
        rating: one.rating ?? null,
        englishSynopsis: one.englishSynopsis ?? null,
        coverImageUrl: one.coverImageUrl ?? null,
        active: true,
        ...(one.durationMinutes && { durationMinutes: one.durationMinutes }),
      },
    };
  });
}

/** The film database has titles of one character, which an episode may not have. */
function titleOf(title: string, untitled: string): string {
  if (title === "") return untitled;
  return violationsOf(rules.Episode.properties.title, title).length > 0 ? `${untitled}: ${title}` : title;
}
