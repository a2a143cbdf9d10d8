// A season found in the film database: the choice of its episodes, and their streams.
import { Button, Group } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../../access/session";
import { newId } from "../../../api/newId";
import { isUnknown } from "../../../api/unknownOutcome";
import { useIdempotencyKey } from "../../../api/useIdempotencyKey";
import type { Draft } from "../../../forms/draft";
import { focusFirstInvalid } from "../../../forms/submitting";
import { useDraftValue } from "../../../forms/useDraftForm";
import { formatNumber } from "../../../i18n/formats";
import { toast } from "../../../ui/toast";
import { CandidateList } from "./CandidateList";
import { type Candidate, candidatesOf } from "./candidates";
import { ImportFields } from "./ImportFields";
import { ImportRefusal } from "./ImportRefusal";
import { checkImport, episodesOf, type ImportDraft } from "./importDraft";
import { rememberImport } from "./importMemory";
import type { Show } from "./queries";
import { type Episode, type EpisodeRow, type FoundEpisode, useCreateEpisodes } from "./queries";

interface SeasonPreviewProps {
  show: Show;
  /** The search that found it. */
  of: string;
  season: number;
  found: readonly FoundEpisode[];
  existing: readonly EpisodeRow[];
  draft: Draft<ImportDraft>;
  onCancel: () => void;
  onDone: () => void;
}

/** What was sent, and the list that it was chosen from. */
interface Sent {
  episodes: Episode[];
  shared: ImportDraft;
  chosen: readonly Candidate[];
  existing: readonly EpisodeRow[];
}

export function SeasonPreview(props: SeasonPreviewProps) {
  const { show, of, season, found, existing, draft, onCancel, onDone } = props;
  const { t } = useTranslation();
  const { username } = useUser();
  const form = useRef<HTMLFormElement>(null);
  const untitled = (number: number) => t("episodes.untitled", { number });
  const creating = useCreateEpisodes(show.id);
  const once = useIdempotencyKey();
  const [sent, setSent] = useState<Sent>();
  /** Whether it is sent again unchanged: the first request may have created the episodes of the list. */
  const isUnanswered = creating.isError && isUnknown(creating.error);
  const isUnderWay = creating.isPending || isUnanswered;
  const inCatalogue = isUnderWay && sent ? sent.existing : existing;
  const candidates = candidatesOf(show.id, season, found, inCatalogue, untitled);
  const missing = candidates.filter((candidate) => !candidate.exists);
  const stored = useDraftValue<ImportDraft["left"]>(draft, "left");
  const left = new Set(stored?.of === of ? stored.keys : []);
  const setLeft = (next: ReadonlySet<number>) =>
    draft.set("left", next.size > 0 ? { of, keys: [...next] } : null);
  const chosen = missing.filter(({ key }) => !left.has(key));
  const [linkIds] = useState(() => new Map<number, string>());
  const linkIdOf = (key: number) => {
    const id = linkIds.get(key) ?? newId();
    linkIds.set(key, id);
    return id;
  };

  const send = (batch: Sent) => {
    setSent(batch);
    const { episodes, shared } = batch;
    const { pattern, quality, audioLanguages, subtitleLanguages = [] } = shared;
    creating.mutate(
      { episodes, idempotencyKey: once.keyFor(episodes) },
      {
        onSuccess: ({ created }) => {
          rememberImport(username, show.id, { pattern, quality, audioLanguages, subtitleLanguages });
          toast.success(t("seasonImport.done", { count: created, number: formatNumber(created) }));
          onDone();
        },
      },
    );
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (creating.isPending) return;
    if (isUnanswered && sent) return send(sent);
    if (chosen.length === 0) return;
    if (!checkImport(draft, chosen)) return focusFirstInvalid(form.current);
    const shared = draft.toPayload();
    send({ episodes: episodesOf(chosen, shared, linkIdOf), shared, chosen, existing });
  };

  return (
    <form ref={form} onSubmit={submit} noValidate>
      {!isUnanswered && (
        <>
          <CandidateList
            title={t("seasonImport.found", { season })}
            candidates={candidates}
            left={left}
            onLeft={setLeft}
          />
          {missing.length === 0 ? (
            <p className="quiet">{t("seasonImport.allExist")}</p>
          ) : (
            <ImportFields draft={draft} chosen={chosen} />
          )}
        </>
      )}
      <div aria-live="assertive">
        {creating.error && (
          <ImportRefusal error={creating.error} sent={sent?.chosen ?? []} isUnanswered={isUnanswered} />
        )}
      </div>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {missing.length === 0 ? t("common.close") : t("common.cancel")}
        </Button>
        {missing.length > 0 && (
          <Button type="submit" disabled={chosen.length === 0} loading={creating.isPending}>
            {isUnanswered
              ? t("common.retry")
              : t("seasonImport.submit", { count: chosen.length, number: formatNumber(chosen.length) })}
          </Button>
        )}
      </Group>
    </form>
  );
}
