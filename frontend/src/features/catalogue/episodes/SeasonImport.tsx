// Imports a whole season from the film database, with a preview. This is the choice of the season; the preview is in
// SeasonPreview.tsx.
import { Alert, Button, Loader } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../../api/problem";
import type { ObjectRule } from "../../../api/rule";
import { rules } from "../../../api/rules.gen";
import { Draft } from "../../../forms/draft";
import { fieldsOf } from "../../../forms/fieldsOf";
import { focusFirstInvalid } from "../../../forms/submitting";
import { DraftFields, useIsChanged } from "../../../forms/useDraftForm";
import "../../../forms/forms.css";
import { useAskBeforeUnload } from "../../../forms/useKeptDraft";
import { useLeaveGuard } from "../../../forms/useLeaveGuard";
import { askAndClose } from "../../../ui/askAndClose";
import { Dialog } from "../../../ui/Dialog";
import { AlertIcon, SearchIcon } from "../../../ui/icons";
import { titleIdOf } from "../FilmLookup";
import { useImportDraft } from "./importDraft";
import { seasonsOf } from "./names";
import type { Show } from "./queries";
import { type EpisodeRow, type FoundEpisode, findSeason } from "./queries";
import { SeasonPreview } from "./SeasonPreview";
import "./season-import.css";

interface Wanted {
  imdbId: string;
  season: number;
}

interface Found {
  imdbId: string;
  season: number;
  episodes: readonly FoundEpisode[];
}

const rule: ObjectRule = {
  type: "object",
  required: ["imdbId", "season"],
  properties: { imdbId: { type: "string" }, season: rules.Episode.properties.seasonNumber },
};

const { Text, Amount } = fieldsOf<Wanted>();

interface SeasonImportProps {
  show: Show;
  episodes: readonly EpisodeRow[];
  onClose: () => void;
}

export function SeasonImport({ show, episodes, onClose }: SeasonImportProps) {
  const { t } = useTranslation();
  // Here, not in the preview: another search leaves what was typed.
  const links = useImportDraft(show.id);
  useLeaveGuard(() => links.isChanged(), onClose);
  useAskBeforeUnload(useIsChanged(links), false);
  const close = () => void askAndClose(links.isChanged(), onClose);
  const form = useRef<HTMLFormElement>(null);
  const [draft] = useState(
    () => new Draft<Wanted>({ imdbId: show.imdbId ?? "", season: firstMissing(seasonsOf(episodes)) }, rule),
  );
  const [found, setFound] = useState<Found>();
  const finding = useMutation({
    mutationFn: async ({ imdbId, season }: Wanted) => ({ imdbId, ...(await findSeason(imdbId, season)) }),
    onSuccess: setFound,
  });
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (finding.isPending) return;
    const isComplete = draft.check();
    const { imdbId, season } = draft.toPayload();
    const id = titleIdOf(imdbId ?? "");
    if (imdbId && !id)
      draft.setErrors([{ field: "imdbId", code: "NOT_AN_ID", message: t("episodes.lookup.notAnId") }]);
    if (isComplete && id) finding.mutate({ imdbId: id, season });
    else focusFirstInvalid(form.current);
  };
  return (
    <Dialog title={t("seasonImport.title")} onClose={close} size="xl" isForm>
      <p className="quiet import-intro">{t("seasonImport.intro")}</p>
      <form ref={form} onSubmit={find} noValidate>
        <DraftFields draft={draft} labels="contents.seasonImport">
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
        {found?.episodes.length === 0 && <p className="quiet import-nothing">{t("seasonImport.nothing")}</p>}
      </div>
      {found && found.episodes.length > 0 && (
        <SeasonPreview
          key={`${found.imdbId} ${found.season}`}
          show={show}
          season={found.season}
          found={found.episodes}
          existing={episodes}
          draft={links}
          onCancel={close}
          onDone={onClose}
        />
      )}
    </Dialog>
  );
}

function firstMissing(seasons: readonly number[]): number {
  let season = 1;
  while (seasons.includes(season)) season++;
  return season;
}
