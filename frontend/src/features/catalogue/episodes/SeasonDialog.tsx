// Adds or edits a season of a show.
import { Button, Group, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../access/session";
import { isMissing, messageOf, Problem } from "../../../api/problem";
import { rules } from "../../../api/rules.gen";
import { askToCreateAnew } from "../../../forms/createAnew";
import { Draft, type PartialDraft } from "../../../forms/draft";
import { fieldsOf } from "../../../forms/fieldsOf";
import { focusFirstInvalid, submitHandlers } from "../../../forms/submitting";
import { useCreatedInARow } from "../../../forms/useCreatedInARow";
import { DraftFields, useIsChanged } from "../../../forms/useDraftForm";
import { useStored } from "../../../forms/useStored";
import "../../../forms/forms.css";
import { useConflict } from "../../../forms/ConflictDialog";
import { useDialogDraft } from "../../../forms/useDialogDraft";
import { useAskBeforeUnload } from "../../../forms/useKeptDraft";
import { useLeaveGuard } from "../../../forms/useLeaveGuard";
import { t } from "../../../i18n";
import { paths } from "../../../routing/paths";
import { askAndClose } from "../../../ui/askAndClose";
import { Dialog } from "../../../ui/Dialog";
import { ErrorView } from "../../../ui/ErrorView";
import { FailureAlert } from "../../../ui/FailureAlert";
import { toast } from "../../../ui/toast";
import { HistoryButton } from "../history/HistoryButton";
import { type Season, type SeasonRow, type StoredSeason, seriesQueries, useSaveSeason } from "./queries";

const { Text, LongText, Amount, Day, Flag } = fieldsOf<Season>();
const labels = "contents.seasons";

interface SeasonDialogProps {
  showId: number;
  seasons: readonly SeasonRow[];
  /** The season to edit; without one, a new one. */
  season?: SeasonRow;
  onClose: () => void;
}

export function SeasonDialog({ showId, seasons, season, onClose }: SeasonDialogProps) {
  const { t } = useTranslation();
  // A row has no synopses.
  const item = useQuery({ ...seriesQueries.season(season?.id ?? 0), enabled: season !== undefined });
  // The form's, once it is there.
  const close = useRef(onClose);
  const stored = useStored(item, season?.id);
  const last = Math.max(0, ...seasons.map((one) => one.seasonNumber));
  // What the form of a new one begins with, where it is a copy.
  const [copy, setCopy] = useState<PartialDraft<Season>>();
  const isNew = season === undefined || copy !== undefined;
  const title = isNew ? t("seasons.newTitle") : t("seasons.editTitle", { number: season.seasonNumber });
  return (
    <Dialog title={title} onClose={() => close.current()} size="lg" isForm>
      {season && item.isError && !stored ? (
        <ErrorView
          title={t("list.failed")}
          message={messageOf(item.error)}
          onRetry={() => void item.refetch()}
        />
      ) : season && !stored ? (
        <Skeleton h={360} role="status" aria-label={t("common.loading")} />
      ) : stored && !isNew ? (
        <StoredSeasonForm
          showId={showId}
          stored={stored}
          close={close}
          onDone={onClose}
          onDuplicate={setCopy}
        />
      ) : (
        <NewSeasonForm showId={showId} last={last} copy={copy} close={close} onDone={onClose} />
      )}
    </Dialog>
  );
}

interface DialogFormProps {
  showId: number;
  /** Receives a function that closes the dialog, and confirms first where something was typed. */
  close: RefObject<() => void>;
  onDone: () => void;
}

interface StoredSeasonFormProps extends DialogFormProps {
  stored: StoredSeason;
  /** Begins a new one with these values. */
  onDuplicate: (values: PartialDraft<Season>) => void;
}

function StoredSeasonForm(props: StoredSeasonFormProps) {
  const [draft] = useState(() => new Draft<Season>(props.stored, rules.Season));
  return <SeasonForm {...props} draft={draft} initial={props.stored} />;
}

interface NewSeasonFormProps extends DialogFormProps {
  /** The highest number of the show's seasons. */
  last: number;
  /** The values of another season, for a copy: its form counts as changed from the start. */
  copy: PartialDraft<Season> | undefined;
}

function NewSeasonForm({ last, copy, ...props }: NewSeasonFormProps) {
  const [created, setCreated] = useState(0);
  const blank = (latest = created): PartialDraft<Season> => ({
    tvShowId: props.showId,
    seasonNumber: Math.max(last, latest) + 1,
    active: true,
  });
  const { draft, formKey, isNew, another } = useCreatedInARow<Season>(blank, rules.Season, { copy });
  return (
    <SeasonForm
      key={formKey}
      {...props}
      draft={draft}
      initial={blank()}
      isNext={isNew}
      onAnother={({ seasonNumber }) => {
        const latest = Math.max(created, seasonNumber);
        setCreated(latest);
        draft.reset(blank(latest));
        another();
      }}
    />
  );
}

interface SeasonFormProps extends DialogFormProps {
  draft: Draft<Season>;
  initial: PartialDraft<Season>;
  stored?: StoredSeason;
  /** The form before it was in the same dialog. */
  isNext?: boolean;
  /** Called when a season was created and another one follows. */
  onAnother?: (saved: Season) => void;
  onDuplicate?: StoredSeasonFormProps["onDuplicate"];
}

function SeasonForm(props: SeasonFormProps) {
  const { showId, draft, stored, initial, isNext = false, close, onDone, onAnother, onDuplicate } = props;
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    // The dialog is open already: its form takes the focus by itself.
    if (isNext) form.current?.querySelector<HTMLInputElement>("input")?.focus();
  }, [isNext]);
  useAskBeforeUnload(useIsChanged(draft), true);
  const saving = useSaveSeason(showId);

  const may = useMay();

  const send = async (over?: { id: number; version: number }, isFollowed = false) => {
    const saved = await saving.mutateAsync({ ...over, draft: draft.toPayload() });
    const name = nameOf(saved);
    toast.success(over ? t("contents.saved", { name }) : t("contents.created", { name }));
    draft.reset(saved);
    if (isFollowed) onAnother?.(saved);
    else onDone();
  };
  const saveOver = (version: number) => send(stored && { id: stored.id, version });
  const conflict = useConflict({ draft, stored, resource: "seasons", labels, saveOver });
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `${paths.episodes(showId)}#season ${stored?.id ?? "new"}`,
    labels,
    version: conflict.base?.version,
    onKeptVersion: conflict.baseOn,
  });
  useLeaveGuard(
    () => draft.isChanged(),
    () => {
      abandon();
      onDone();
    },
  );
  useEffect(() => {
    close.current = () =>
      void askAndClose(draft.isChanged(), () => {
        abandon();
        // The dialog may be in the address: leaving that must not confirm again.
        draft.reset(initial);
        onDone();
      });
  });

  /** The season was deleted meanwhile: offers to create a new one from the form. */
  const createAnew = async (error: unknown): Promise<boolean> => {
    if (!conflict.base || !isMissing(error) || !may("TVSHOW_CREATE")) return false;
    if (!(await askToCreateAnew(nameOf(conflict.base)))) return false;
    await send();
    return true;
  };
  const save = async (isFollowed = false) => {
    if (saving.isPending) return;
    if (!draft.check()) return focusFirstInvalid(form.current);
    setFailure(undefined);
    try {
      await (conflict.base ? saveOver(conflict.base.version) : send(undefined, isFollowed));
    } catch (error) {
      if (error instanceof Problem) draft.setErrors(error.violations);
      try {
        if (!(await conflict.takeOver(error)) && !(await createAnew(error))) setFailure(messageOf(error));
      } catch (next) {
        if (next instanceof Problem) draft.setErrors(next.violations);
        setFailure(messageOf(next));
      }
    }
  };

  /** With all its values but the number, which is unique in the show. */
  const duplicate = () => {
    const { seasonNumber: _number, ...values } = draft.storableValues();
    void askAndClose(draft.isChanged(), () => {
      abandon();
      onDuplicate?.(values);
    });
  };

  return (
    <form ref={form} {...submitHandlers(() => void save())} noValidate>
      {proposal}
      <DraftFields draft={draft} labels={labels}>
        <SeasonFields />
      </DraftFields>
      <FailureAlert title={t("form.notSaved")} mt="md">
        {failure}
      </FailureAlert>
      <Group mt="lg" gap="sm" justify="flex-end">
        {conflict.base && (
          <HistoryButton
            kind="seasons"
            id={conflict.base.id}
            name={nameOf(conflict.base)}
            version={conflict.base.version}
            draft={draft}
          />
        )}
        {conflict.base && may("TVSHOW_CREATE") && (
          <Button variant="default" onClick={duplicate}>
            {t("form.duplicate")}
          </Button>
        )}
        <Button variant="default" onClick={() => close.current()}>
          {t("common.cancel")}
        </Button>
        {!stored && (
          <Button variant="light" aria-disabled={saving.isPending} onClick={() => void save(true)}>
            {t("form.saveAndCreate")}
          </Button>
        )}
        <Button type="submit" aria-disabled={saving.isPending}>
          {saving.isPending
            ? t("episodes.saving")
            : stored
              ? t("seasons.submitEdit")
              : t("seasons.submitNew")}
        </Button>
      </Group>
      {conflict.dialog}
    </form>
  );
}

const nameOf = ({ seasonNumber: number }: Season) => t("episodes.seasonNumber", { number });

function SeasonFields() {
  return (
    <div className="form-grid">
      <div data-span="4">
        <Amount name="seasonNumber" />
      </div>
      <div data-span="8">
        <Text name="title" />
      </div>
      <div data-span="4">
        <Day name="airDate" />
      </div>
      <div data-span="8">
        <Text name="coverImageUrl" type="url" placeholder="https://…" />
      </div>
      <LongText name="spanishSynopsis" />
      <LongText name="englishSynopsis" />
      <Flag name="active" />
    </div>
  );
}
