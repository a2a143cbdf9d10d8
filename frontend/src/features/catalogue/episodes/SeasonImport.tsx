// A whole season from the film database: looked at first, then created in one go. What is in the catalogue already
// is left out; what the film database cannot know (where the episodes stream from) is asked once for all.
import { Alert, Button, Checkbox, Group, Loader } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import {
  type FormEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useTranslation } from "react-i18next";
import { Language } from "../../../api/enums/Language.gen";
import { LinkQuality } from "../../../api/enums/LinkQuality.gen";
import { messageOf, Problem, type Violation } from "../../../api/problem";
import { rules } from "../../../api/rules.gen";
import { Draft } from "../../../forms/draft";
import { fieldsOf } from "../../../forms/fieldsOf";
import { type ObjectRule, violationsOf } from "../../../forms/rules";
import { violationText } from "../../../forms/texts";
import { DraftFields } from "../../../forms/useDraftForm";
import "../../../forms/forms.css";
import { formatNumber } from "../../../i18n/formats";
import { confirm } from "../../../ui/confirm";
import { Dialog } from "../../../ui/Dialog";
import { AlertIcon, SearchIcon } from "../../../ui/icons";
import { newId } from "../../../ui/newId";
import { toast } from "../../../ui/toast";
import { Moment } from "../../../ui/values";
import { titleIdOf } from "../FilmLookup";
import type { Show } from "./EpisodesPage";
import { episodeName, seasonsOf } from "./names";
import { examplePattern, filled, namesEpisode } from "./pattern";
import { type Episode, type EpisodeRow, type FoundEpisode, findSeason, useCreateEpisodes } from "./queries";

/** What is asked for: which season, and what all of its episodes have in common. */
interface Wanted {
  imdbId: string;
  season: number;
  pattern: string;
  quality: string;
  audioLanguages: string[];
  subtitleLanguages: string[];
  minutes?: number;
}

const link = rules.Link.properties;
const seasonRule: ObjectRule = {
  type: "object",
  required: ["imdbId", "season"],
  properties: { imdbId: { type: "string" }, season: rules.Episode.properties.seasonNumber },
};
const linksRule: ObjectRule = {
  type: "object",
  required: ["pattern", "quality", "audioLanguages", "minutes"],
  properties: {
    pattern: { type: "string" },
    quality: link.quality,
    audioLanguages: link.audioLanguages,
    subtitleLanguages: link.subtitleLanguages,
    minutes: rules.Episode.properties.durationMinutes,
  },
};

const { Text, Amount, Choice, Choices } = fieldsOf<Wanted>();
const labels = "contents.seasonImport";

interface SeasonImportProps {
  show: Show;
  episodes: readonly EpisodeRow[];
  onClose: () => void;
}

export function SeasonImport({ show, episodes, onClose }: SeasonImportProps) {
  const { t } = useTranslation();
  const isWritten = useRef(() => false);
  const close = async () => {
    const leaves =
      !isWritten.current() ||
      (await confirm({
        title: t("form.leaveTitle"),
        consequence: t("form.leaveConsequence"),
        verb: t("form.leaveVerb"),
        cancel: t("form.leaveCancel"),
      }));
    if (leaves) onClose();
  };
  const form = useRef<HTMLFormElement>(null);
  const [draft] = useState(
    () =>
      new Draft<Pick<Wanted, "imdbId" | "season">>(
        { imdbId: show.imdbId ?? "", season: firstMissing(seasonsOf(episodes)) },
        seasonRule,
      ),
  );
  const finding = useMutation({
    mutationFn: ({ imdbId, season }: { imdbId: string; season: number }) => findSeason(imdbId, season),
  });
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (finding.isPending) return;
    const isComplete = draft.check();
    const { imdbId, season } = draft.finished();
    const id = titleIdOf(imdbId ?? "");
    if (imdbId && !id)
      draft.accuse([{ field: "imdbId", code: "NOT_AN_ID", message: t("episodes.lookup.notAnId") }]);
    if (isComplete && id) finding.mutate({ imdbId: id, season });
    else setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const found = finding.data;
  return (
    <Dialog title={t("seasonImport.title")} onClose={() => void close()} size="xl" isForm>
      <p className="quiet import-intro">{t("seasonImport.intro")}</p>
      <form ref={form} onSubmit={find} noValidate>
        <DraftFields draft={draft} labels={labels}>
          <div className="import-find">
            {!show.imdbId && <Text name="imdbId" placeholder="tt0903747" />}
            <Amount name="season" />
            <Button
              type="submit"
              variant={found ? "default" : "filled"}
              leftSection={<SearchIcon size={16} />}
              loading={finding.isPending}
            >
              {t("seasonImport.find")}
            </Button>
          </div>
        </DraftFields>
      </form>
      <div aria-live="polite">
        {finding.isPending && <Loader size="sm" mt="md" aria-label={t("common.loading")} />}
        {finding.error && (
          <Alert color="red" icon={<AlertIcon />} title={t("lookup.failed")} mt="md">
            {messageOf(finding.error)}
          </Alert>
        )}
        {found?.episodes.length === 0 && <p className="quiet">{t("seasonImport.nothing")}</p>}
      </div>
      {found && found.episodes.length > 0 && (
        <Preview
          key={`${found.season} ${finding.submittedAt}`}
          show={show}
          season={found.season}
          found={found.episodes}
          existing={episodes}
          isWritten={isWritten}
          onCancel={() => void close()}
          onDone={onClose}
        />
      )}
    </Dialog>
  );
}

interface PreviewProps {
  show: Show;
  season: number;
  found: readonly FoundEpisode[];
  existing: readonly EpisodeRow[];
  /** Told how to find out whether something was written that closing would lose. */
  isWritten: RefObject<() => boolean>;
  onCancel: () => void;
  onDone: () => void;
}

/** An episode as it was found, with what it needs to be one here. */
interface Candidate {
  key: number;
  episode: Omit<Episode, "links" | "durationMinutes"> & { durationMinutes?: number };
  exists: boolean;
}

function Preview({ show, season, found, existing, isWritten, onCancel, onDone }: PreviewProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const untitled = (number: number) => t("episodes.untitled", { number });
  const candidates = candidatesOf(show.id, season, found, existing, untitled);
  const missing = candidates.filter((candidate) => !candidate.exists);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const chosen = missing.filter(({ key }) => !left.has(key));
  const withoutMinutes = chosen.filter(({ episode }) => !episode.durationMinutes).length;
  // One and the same link id for a second try.
  const [linkIds] = useState(() => found.map(() => newId()));
  const [draft] = useState(
    () =>
      new Draft<Wanted>(
        { pattern: "", quality: "FHD", audioLanguages: [], subtitleLanguages: [] },
        linksRule,
      ),
  );
  useEffect(() => {
    isWritten.current = () => draft.isChanged();
  }, [isWritten, draft]);
  const creating = useCreateEpisodes(show.id);
  const pattern = String(useSyncExternalStore(draft.subscribe, () => draft.get("pattern")) ?? "").trim();
  const addressOf = ({ episode }: Candidate) =>
    filled(pattern, { season: episode.seasonNumber, episode: episode.episodeNumber });
  const first = chosen[0];

  /** What is wrong with what all episodes share. */
  const check = (): boolean => {
    draft.check();
    const found = draft.allViolations().filter(({ field }) => field !== "minutes" || withoutMinutes > 0);
    if (pattern && first) {
      if (chosen.length > 1 && !namesEpisode(pattern))
        found.push({ field: "pattern", code: "NO_EPISODE", message: t("seasonImport.noEpisode") });
      else
        found.push(
          ...violationsOf(link.url, addressOf(first)).map((broken) => ({ ...broken, field: "pattern" })),
        );
    }
    draft.accuse(found);
    return found.length === 0;
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (creating.isPending || chosen.length === 0) return;
    if (!check()) {
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    const { quality, audioLanguages, subtitleLanguages, minutes } = draft.finished();
    const bodies = chosen.map(
      (candidate): Episode => ({
        ...candidate.episode,
        durationMinutes: candidate.episode.durationMinutes ?? minutes ?? 0,
        links: [
          {
            id: linkIds[candidate.key],
            quality: quality as NonNullable<Episode["links"][number]["quality"]>,
            url: addressOf(candidate),
            audioLanguages: audioLanguages as Episode["links"][number]["audioLanguages"],
            subtitleLanguages: (subtitleLanguages ?? []) as Episode["links"][number]["subtitleLanguages"],
            active: true,
          },
        ],
      }),
    );
    creating.mutate(bodies, {
      onSuccess: ({ created }) => {
        toast.success(t("seasonImport.done", { count: created, number: formatNumber(created) }));
        onDone();
      },
    });
  };

  const choose = (key: number, isChosen: boolean) =>
    setLeft((before) => {
      const next = new Set(before);
      if (isChosen) next.delete(key);
      else next.add(key);
      return next;
    });

  return (
    <form ref={form} onSubmit={submit} noValidate>
      <fieldset className="import-episodes">
        <legend>{t("seasonImport.found", { season })}</legend>
        {missing.length > 1 && (
          <Checkbox
            mb="xs"
            label={t("seasonImport.all")}
            checked={chosen.length === missing.length}
            indeterminate={chosen.length > 0 && chosen.length < missing.length}
            onChange={(event) =>
              setLeft(event.currentTarget.checked ? new Set() : new Set(missing.map(({ key }) => key)))
            }
          />
        )}
        <ul>
          {candidates.map((candidate) => (
            <CandidateItem
              key={candidate.key}
              candidate={candidate}
              isChosen={!candidate.exists && !left.has(candidate.key)}
              onChoose={(isChosen) => choose(candidate.key, isChosen)}
            />
          ))}
        </ul>
      </fieldset>
      {missing.length === 0 ? (
        <p className="quiet">{t("seasonImport.allExist")}</p>
      ) : (
        <fieldset className="import-links">
          <legend>{t("seasonImport.links")}</legend>
          <DraftFields draft={draft} labels={labels}>
            <div className="form-grid">
              <Text name="pattern" type="url" placeholder={examplePattern} />
              {pattern && first && (
                <p className="import-example">
                  <span className="quiet">{t("seasonImport.example")}</span> <code>{addressOf(first)}</code>
                </p>
              )}
              <div data-span="4">
                <Choice name="quality" of={LinkQuality} />
              </div>
              <div data-span="8">
                <Choices name="audioLanguages" of={Language} />
              </div>
              <div data-span="8">
                <Choices name="subtitleLanguages" of={Language} />
              </div>
              {withoutMinutes > 0 && (
                <div data-span="4">
                  <Amount name="minutes" />
                  <p className="quiet import-minutes">
                    {t("seasonImport.minutesHelp", {
                      count: withoutMinutes,
                      number: formatNumber(withoutMinutes),
                    })}
                  </p>
                </div>
              )}
            </div>
          </DraftFields>
        </fieldset>
      )}
      <div aria-live="assertive">{creating.error && <Refusal error={creating.error} sent={chosen} />}</div>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {missing.length === 0 ? t("common.close") : t("common.cancel")}
        </Button>
        {missing.length > 0 && (
          <Button type="submit" disabled={chosen.length === 0} loading={creating.isPending}>
            {t("seasonImport.submit", { count: chosen.length, number: formatNumber(chosen.length) })}
          </Button>
        )}
      </Group>
    </form>
  );
}

interface CandidateItemProps {
  candidate: Candidate;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}

function CandidateItem({ candidate, isChosen, onChoose }: CandidateItemProps) {
  const { t } = useTranslation();
  const id = useId();
  const { episode, exists } = candidate;
  return (
    <li data-exists={exists || undefined}>
      <Checkbox
        label={episodeName(episode)}
        aria-describedby={id}
        checked={isChosen}
        disabled={exists}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <span id={id} className="quiet tabular import-note">
        {exists ? (
          t("seasonImport.exists")
        ) : (
          <>
            {episode.airDate && <Moment of={episode.airDate} />}{" "}
            <span>
              {episode.durationMinutes
                ? t("episodes.minutes", { number: formatNumber(episode.durationMinutes) })
                : t("seasonImport.noMinutes")}
            </span>
          </>
        )}
      </span>
    </li>
  );
}

/** Why none of them was created; `episodes[3].title` said by the episode's name. */
function Refusal({ error, sent }: { error: unknown; sent: readonly Candidate[] }) {
  const { t } = useTranslation();
  const violations = error instanceof Problem ? error.violations : [];
  const told = (violation: Violation) => {
    const [, index, field = ""] = /^episodes\[(\d+)\]\.?(.*)$/.exec(violation.field) ?? [];
    const episode = index === undefined ? undefined : sent[Number(index)]?.episode;
    const text = violation.message ?? violationText({ ...violation, field });
    return episode ? t("seasonImport.problem", { name: episodeName(episode), error: text }) : text;
  };
  return (
    <Alert color="red" icon={<AlertIcon />} title={t("seasonImport.failed")} mt="md">
      {messageOf(error)}
      {violations.length > 0 && (
        <ul>
          {violations.map((violation) => (
            <li key={`${violation.field} ${violation.code}`}>{told(violation)}</li>
          ))}
        </ul>
      )}
    </Alert>
  );
}

function candidatesOf(
  tvShowId: number,
  season: number,
  found: readonly FoundEpisode[],
  existing: readonly EpisodeRow[],
  untitled: (number: number) => string,
): Candidate[] {
  const numbers = new Set(
    existing.filter((episode) => episode.seasonNumber === season).map((episode) => episode.episodeNumber),
  );
  return found.map((one, key) => {
    const episodeNumber = one.episodeNumber ?? key + 1;
    return {
      key,
      exists: numbers.has(episodeNumber),
      episode: {
        tvShowId,
        seasonNumber: season,
        episodeNumber,
        title: one.title || untitled(episodeNumber),
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

function firstMissing(seasons: readonly number[]): number {
  let season = 1;
  while (seasons.includes(season)) season++;
  return season;
}
