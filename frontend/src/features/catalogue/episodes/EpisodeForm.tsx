// Creating and editing an episode of a show.
import { Button } from "@mantine/core";
import { useFocusReturn } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { startTransition, useDeferredValue, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router";
import { useRecentItem } from "../../../access/recent";
import { useMay, useUser } from "../../../access/session";
import { isMissing, messageOf, type Problem } from "../../../api/problem";
import { rules } from "../../../api/rules.gen";
import { useIdempotencyKey } from "../../../api/useIdempotencyKey";
import { useConflict } from "../../../forms/ConflictDialog";
import { askToCreateAnew } from "../../../forms/createAnew";
import { Draft, type PartialDraft } from "../../../forms/draft";
import { EditForm, type LastChange } from "../../../forms/EditForm";
import { FormSkeleton } from "../../../forms/FormSkeleton";
import { fieldsOf, typed } from "../../../forms/fieldsOf";
import { keptDraft } from "../../../forms/keptDraft";
import { localDraft } from "../../../forms/localDraft";
import { useCreatedInARow } from "../../../forms/useCreatedInARow";
import { useValue } from "../../../forms/useDraftForm";
import { useStored } from "../../../forms/useStored";
import { paths } from "../../../routing/paths";
import { ErrorView } from "../../../ui/ErrorView";
import { FormSection } from "../../../ui/FormSection";
import { BackIcon, SearchIcon } from "../../../ui/icons";
import { PageHeading } from "../../../ui/PageHeading";
import { toast } from "../../../ui/toast";
import { pictureUrl } from "../../../ui/urls";
import { FilmLookup, type FoundFilm } from "../FilmLookup";
import { type FilledIn, fillIn } from "../fillIn";
import { HistoryButton } from "../history/HistoryButton";
import { LinkProbes } from "../LinkProbes";
import { LinksEditor } from "../LinksEditor";
import { newLink } from "../newLink";
import { Synopses } from "../Synopses";
import { EpisodeLinkTwin } from "./EpisodeLinkTwin";
import { rememberEpisode } from "./episodeFocus";
import { episodeName, matching, nextNumbers } from "./names";
import type { Show } from "./queries";
import { type Episode, type StoredEpisode, seriesQueries, useSaveEpisode } from "./queries";
import { noForm, useSeriesAddress } from "./useSeriesAddress";

const { Text, Amount, Day, Flag } = fieldsOf<Episode>();
const Links = typed<Episode, Episode["links"]>()(LinksEditor);
const labels = "contents.episodes";

function useBackToEpisodes() {
  const { change } = useSeriesAddress();
  return (options?: { replace: boolean }) => change(noForm, options);
}

function BackToEpisodes() {
  const { t } = useTranslation();
  const { linkTo } = useSeriesAddress();
  return (
    <Button component={Link} to={linkTo(noForm)} variant="default" leftSection={<BackIcon />}>
      {t("episodes.back")}
    </Button>
  );
}

export function CreateEpisode({ show }: { show: Show }) {
  const { t } = useTranslation();
  const { username } = useUser();
  const { pathname, search } = useLocation();
  const { season } = useSeriesAddress();
  const episodes = useQuery(seriesQueries.episodes(show.id));
  const back = useBackToEpisodes();
  const saving = useSaveEpisode(show.id);
  const { draft, isCopy, formKey, isNew, another } = useCreatedInARow<Episode>(
    () => blank(show.id),
    rules.Episode,
  );
  const [isLookingUp, setLookingUp] = useState(
    () => !isCopy && !keptDraft(username, pathname + search) && !localDraft(username, pathname + search),
  );
  useFocusReturn({ opened: isLookingUp });
  // From then on the form stays, also below another lookup.
  const [hasBegun, setBegun] = useState(!isLookingUp);
  const isNumbered = useRef(false);
  const filledIn = useRef<FilledIn>({});
  const once = useIdempotencyKey();

  /** The form begins where the season goes on. */
  const begin = (found?: FoundFilm["draft"]) => {
    if (!isNumbered.current && !draft.isChanged())
      draft.reset({ ...blank(show.id), ...(episodes.data && nextNumbers(episodes.data, season)) });
    isNumbered.current = true;
    if (found) filledIn.current = fillIn(draft, found, filledIn.current);
    // The lookup stays in sight until the fields are there.
    startTransition(() => {
      setLookingUp(false);
      setBegun(true);
    });
  };

  const save = async (isFollowed = false) => {
    const body = draft.toPayload();
    const saved = await saving.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    toast.success(t("contents.created", { name: episodeName(saved) }));
    rememberEpisode(show.id, saved.id);
    once.forget();
    if (!isFollowed) {
      draft.reset(blank(show.id));
      return back({ replace: isCopy });
    }
    // What the list had when this form was shown, and what was created since.
    const known = [...(episodes.data ?? []), saved];
    draft.reset({ ...blank(show.id), ...nextNumbers(known, saved.seasonNumber) });
    isNumbered.current = true;
    filledIn.current = {};
    another();
  };

  return (
    <>
      <PageHeading
        title={t("episodes.new")}
        actions={
          <>
            <BackToEpisodes />
            {!isLookingUp && (
              <Button
                variant="default"
                leftSection={<SearchIcon size={16} />}
                onClick={() => setLookingUp(true)}
              >
                {t("lookup.again")}
              </Button>
            )}
          </>
        }
      />
      {isLookingUp && (
        <FilmLookup
          as="episode"
          onFound={(film) => begin(film.draft)}
          onManual={hasBegun ? undefined : () => begin()}
          onCancel={hasBegun ? () => setLookingUp(false) : () => back()}
        />
      )}
      {hasBegun && (
        <EditForm
          key={formKey}
          draft={draft}
          labels={labels}
          submitLabel={t("episodes.submitNew")}
          savingLabel={t("episodes.saving")}
          onSave={() => save()}
          onSaveAndNext={() => save(true)}
          nextLabel={t("form.saveAndCreate")}
          onCancel={() => back()}
          once={once}
          isNew={isNew}
        >
          <EpisodeFields />
        </EditForm>
      )}
    </>
  );
}

export function EditEpisode({ show, id }: { show: Show; id: number }) {
  const { t } = useTranslation();
  const item = useQuery(seriesQueries.episode(id));
  const fetched = useStored(item, id);
  // An episode of another show has no place here.
  const isElsewhere = fetched !== undefined && fetched.tvShowId !== show.id;
  if (isElsewhere || (item.isError && !fetched)) {
    const isGone = isElsewhere || isMissing(item.error);
    return (
      <>
        <PageHeading title={t("episodes.editTitle")} />
        <ErrorView
          title={isGone ? t("episodes.notFound") : t("episodes.loadFailed")}
          message={isGone ? t("contents.notFoundHelp") : messageOf(item.error)}
          onRetry={isGone ? undefined : () => void item.refetch()}
          action={<BackToEpisodes />}
        />
      </>
    );
  }
  if (!fetched) return <FormSkeleton />;
  return <EditLoaded key={id} show={show} stored={fetched} />;
}

function EditLoaded({ show, stored }: { show: Show; stored: StoredEpisode }) {
  const { t } = useTranslation();
  const [draft] = useState(() => new Draft<Episode>(stored, rules.Episode));
  const back = useBackToEpisodes();
  const may = useMay();
  const once = useIdempotencyKey();
  const { season, search, change, linkTo } = useSeriesAddress();
  const navigate = useNavigate();
  const saving = useSaveEpisode(show.id);
  const episodes = useQuery(seriesQueries.episodes(show.id));
  // Of those that the list shows.
  const shown = matching(episodes.data ?? [], season, search);
  const next = shown[shown.findIndex(({ id }) => id === stored.id) + 1];
  // Where saving leads, also when a conflict had to be answered first.
  const leave = useRef(() => back());
  const openEpisode = (id: number) => {
    change({ episode: id });
    window.scrollTo?.(0, 0);
  };

  const saveOver = async (version: number) => {
    const saved = await saving.mutateAsync({ id: stored.id, version, draft: draft.toPayload() });
    toast.success(t("contents.saved", { name: episodeName(saved) }));
    draft.reset(saved);
    rememberEpisode(saved.tvShowId, stored.id);
    if (saved.tvShowId === show.id) leave.current();
    else navigate(paths.episodes(saved.tvShowId));
  };
  const conflict = useConflict({ draft, stored, resource: "episodes", labels, saveOver });
  useRecentItem({ of: "episodes", name: stored.title, path: paths.episode(show.id, stored.id) });
  const { base } = conflict;

  /** The episode was deleted meanwhile: offers to create a new one from the form. */
  const createAnew = async (problem: Problem): Promise<boolean> => {
    if (!isMissing(problem) || !may("TVSHOW_CREATE")) return false;
    if (!(await askToCreateAnew(episodeName(base)))) return false;
    const body = draft.toPayload();
    const saved = await saving.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    once.forget();
    toast.success(t("contents.created", { name: episodeName(saved) }));
    draft.reset(saved);
    rememberEpisode(show.id, saved.id);
    back();
    return true;
  };

  /** The form of a new one with these values, after the last of its season. */
  const duplicate = () => {
    const { imdbId: _id, episodeNumber: _number, links, ...values } = draft.storableValues();
    const numbers = episodes.data && nextNumbers(episodes.data, base.seasonNumber);
    const copy = { ...values, links: ((links ?? []) as Episode["links"]).map(newLink), ...numbers };
    navigate(linkTo({ new: 1, episode: undefined }), { state: { copy } });
  };

  return (
    <>
      <PageHeading
        title={t("episodes.editTitle")}
        aside={<span className="quiet">{episodeName(base)}</span>}
        actions={
          <>
            <BackToEpisodes />
            {may("TVSHOW_CREATE") && (
              <Button variant="default" onClick={duplicate}>
                {t("form.duplicate")}
              </Button>
            )}
            <HistoryButton
              kind="episodes"
              id={stored.id}
              name={episodeName(base)}
              version={base.version}
              draft={draft}
            />
          </>
        }
      />
      <EditForm
        draft={draft}
        labels={labels}
        submitLabel={t("episodes.submitEdit")}
        savingLabel={t("episodes.saving")}
        version={base.version}
        onKeptVersion={conflict.baseOn}
        lastChange={base as LastChange}
        onSave={() => {
          leave.current = () => back();
          return saveOver(base.version);
        }}
        onSaveAndNext={
          next &&
          (() => {
            leave.current = () => openEpisode(next.id);
            return saveOver(base.version);
          })
        }
        onCancel={() => {
          rememberEpisode(show.id, base.id);
          back();
        }}
        onFailure={async (problem) => (await conflict.takeOver(problem)) || createAnew(problem)}
      >
        <EpisodeFields />
      </EditForm>
      {conflict.dialog}
    </>
  );
}

function blank(tvShowId: number): PartialDraft<Episode> {
  return { tvShowId, title: "", links: [], active: true };
}

function EpisodeFields() {
  const { t } = useTranslation();
  return (
    <div className="form-columns">
      <div className="form-main">
        <FormSection title={t("episodes.sections.main")}>
          <div className="form-grid">
            <div data-span="8">
              <Text name="title" />
            </div>
            <div data-span="4">
              <Text name="imdbId" placeholder="tt1234567" />
            </div>
            <div data-span="3">
              <Amount name="seasonNumber" />
            </div>
            <div data-span="3">
              <Amount name="episodeNumber" />
            </div>
            <div data-span="3">
              <Amount name="durationMinutes" />
            </div>
            <div data-span="3">
              <Amount name="rating" />
            </div>
            <div data-span="4">
              <Day name="airDate" />
            </div>
          </div>
        </FormSection>
        <FormSection title={t("contents.sections.links")}>
          <Links name="links" twinOf={(url, ownId) => <EpisodeLinkTwin ownId={ownId} url={url} />} />
          <LinkProbes kind="episodes" />
        </FormSection>
        <FormSection title={t("contents.sections.synopses")}>
          <div className="form-grid">
            <Synopses />
          </div>
        </FormSection>
      </div>
      <div className="form-rail">
        <FormSection title={t("contents.sections.status")}>
          <Flag name="active" />
        </FormSection>
        <FormSection title={t("episodes.sections.cover")}>
          <CoverPreview />
          <Text name="coverImageUrl" type="url" placeholder="https://…" />
        </FormSection>
      </div>
    </div>
  );
}

/** The picture at the address that is being typed; nothing of it where there is none. */
function CoverPreview() {
  const { t } = useTranslation();
  const source = pictureUrl(useDeferredValue(useValue<string | null>("coverImageUrl")));
  const [failed, setFailed] = useState<string>();
  if (!source || failed === source) return <p className="quiet cover-comes">{t("episodes.coverComes")}</p>;
  return (
    <img
      className="cover-preview"
      src={source}
      alt={t("episodes.cover")}
      referrerPolicy="no-referrer"
      onError={() => setFailed(source)}
    />
  );
}
