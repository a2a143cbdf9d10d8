// A season that was found: which of its episodes are created, and what the film database cannot know of them (where
// they stream from), entered once for all.
import { Button, Group } from "@mantine/core";
import { type FormEvent, type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { Language } from "../../../api/enums/Language.gen";
import { LinkQuality } from "../../../api/enums/LinkQuality.gen";
import { newId } from "../../../api/newId";
import type { ObjectRule } from "../../../api/rule";
import { rules } from "../../../api/rules.gen";
import { Draft } from "../../../forms/draft";
import { fieldsOf } from "../../../forms/fieldsOf";
import { violationsOf } from "../../../forms/rules";
import { DraftFields } from "../../../forms/useDraftForm";
import { formatNumber } from "../../../i18n/formats";
import { toast } from "../../../ui/toast";
import { CandidateList } from "./CandidateList";
import { type Candidate, candidatesOf } from "./candidates";
import { ImportRefusal } from "./ImportRefusal";
import { rememberedImport, rememberImport } from "./importMemory";
import { examplePattern, filled, namesEpisode } from "./pattern";
import type { Show } from "./queries";
import { type Episode, type EpisodeRow, type FoundEpisode, useCreateEpisodes } from "./queries";

/** What all of the episodes have in common. */
interface Shared {
  pattern: string;
  quality: string;
  audioLanguages: string[];
  subtitleLanguages: string[];
  minutes?: number;
}

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
  },
};

const { Text, Amount, Choice, Choices } = fieldsOf<Shared>();

interface SeasonPreviewProps {
  show: Show;
  season: number;
  found: readonly FoundEpisode[];
  existing: readonly EpisodeRow[];
  /** Receives a function that says whether closing would lose something typed. */
  isWritten: RefObject<() => boolean>;
  onCancel: () => void;
  onDone: () => void;
}

export function SeasonPreview(props: SeasonPreviewProps) {
  const { show, season, found, existing, isWritten, onCancel, onDone } = props;
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
      new Draft<Shared>(
        { quality: "FHD", audioLanguages: [], subtitleLanguages: [], ...rememberedImport(show.id) },
        rule,
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
        rememberImport(show.id, {
          pattern,
          quality,
          audioLanguages,
          subtitleLanguages: subtitleLanguages ?? [],
        });
        toast.success(t("seasonImport.done", { count: created, number: formatNumber(created) }));
        onDone();
      },
    });
  };

  return (
    <form ref={form} onSubmit={submit} noValidate>
      <CandidateList
        title={t("seasonImport.found", { season })}
        candidates={candidates}
        left={left}
        onLeft={setLeft}
      />
      {missing.length === 0 ? (
        <p className="quiet">{t("seasonImport.allExist")}</p>
      ) : (
        <fieldset className="import-links">
          <legend>{t("seasonImport.links")}</legend>
          <DraftFields draft={draft} labels="contents.seasonImport">
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
      <div aria-live="assertive">
        {creating.error && <ImportRefusal error={creating.error} sent={chosen} />}
      </div>
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
