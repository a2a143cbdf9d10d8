// The draft of an import: the values that all episodes of a season share (their streams), and the episodes made of it.
import { useState } from "react";
import { useUser } from "../../../access/session";
import type { ObjectRule } from "../../../api/rule";
import { rules } from "../../../api/rules.gen";
import { Draft } from "../../../forms/draft";
import { violationsOf } from "../../../forms/rules";
import { t } from "../../../i18n";
import type { Candidate } from "./candidates";
import { rememberedImport } from "./importMemory";
import { filled, namesEpisode } from "./pattern";
import type { Episode } from "./queries";

export interface ImportDraft {
  pattern: string;
  quality: string;
  audioLanguages: string[];
  subtitleLanguages: string[];
  minutes?: number;
  /** The episodes of this search that are left out, by their keys. */
  left?: { of: string; keys: number[] } | null;
}

type Link = Episode["links"][number];

const link = rules.Link.properties;
const rule: ObjectRule = {
  type: "object",
  required: ["pattern", "quality", "audioLanguages", "minutes"],
  properties: {
    pattern: { type: "string" },
    quality: link.quality,
    audioLanguages: link.audioLanguages,
    subtitleLanguages: link.subtitleLanguages,
    minutes: rules.Episode.properties.durationMinutes,
    left: { type: "object" },
  },
};

/** Begins with what the last import of the show used. */
export function useImportDraft(showId: number): Draft<ImportDraft> {
  const { username } = useUser();
  return useState(
    () =>
      new Draft<ImportDraft>(
        { quality: "FHD", audioLanguages: [], subtitleLanguages: [], ...rememberedImport(username, showId) },
        rule,
      ),
  )[0];
}

/** The address of an episode's stream, by the pattern of all. */
export function addressOf(pattern: string, { episode }: Candidate): string {
  return filled(pattern, { season: episode.seasonNumber, episode: episode.episodeNumber });
}

/** The number of episodes without a duration, which get the one entered for all. */
export function countWithoutMinutes(chosen: readonly Candidate[]): number {
  return chosen.filter(({ episode }) => !episode.durationMinutes).length;
}

/** Sets the errors of the draft; returns whether there are none. */
export function checkImport(draft: Draft<ImportDraft>, chosen: readonly Candidate[]): boolean {
  draft.check();
  const needsMinutes = countWithoutMinutes(chosen) > 0;
  const found = draft.allViolations().filter(({ field }) => field !== "minutes" || needsMinutes);
  const { pattern } = draft.toPayload();
  const first = chosen[0];
  if (pattern && first) {
    if (chosen.length > 1 && !namesEpisode(pattern))
      found.push({ field: "pattern", code: "NO_EPISODE", message: t("seasonImport.noEpisode") });
    else
      found.push(
        ...violationsOf(link.url, addressOf(pattern, first)).map((broken) => ({
          ...broken,
          field: "pattern",
        })),
      );
  }
  draft.setErrors(found);
  return found.length === 0;
}

/** The episodes to create. A link keeps its id in a second attempt. */
export function episodesOf(
  chosen: readonly Candidate[],
  { pattern, quality, audioLanguages, subtitleLanguages = [], minutes = 0 }: ImportDraft,
  linkIdOf: (key: number) => string,
): Episode[] {
  return chosen.map((candidate) => ({
    ...candidate.episode,
    durationMinutes: candidate.episode.durationMinutes ?? minutes,
    links: [
      {
        id: linkIdOf(candidate.key),
        quality: quality as NonNullable<Link["quality"]>,
        url: addressOf(pattern, candidate),
        audioLanguages: audioLanguages as Link["audioLanguages"],
        subtitleLanguages: subtitleLanguages as Link["subtitleLanguages"],
        active: true,
      },
    ],
  }));
}
