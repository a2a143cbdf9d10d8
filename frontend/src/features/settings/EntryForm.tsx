// Adding or changing an entry of one of the lists, in the list's place. Says so where there is none any more.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { isMissing, messageOf, type Problem } from "../../api/problem";
import type { DraftOf, ItemOf } from "../../api/resources";
import { rules } from "../../api/rules.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { useConflict } from "../../forms/ConflictDialog";
import { askToCreateAnew } from "../../forms/createAnew";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { useCreatedInARow } from "../../forms/useCreatedInARow";
import { useStored } from "../../forms/useStored";
import { ErrorView } from "../../ui/ErrorView";
import { BackIcon } from "../../ui/icons";
import { toast } from "../../ui/toast";
import { type EntryList, settingsQueries, useSaveEntry } from "./queries";
import { useSettingsAddress } from "./useSettingsAddress";

interface EntryFormProps<L extends EntryList> {
  list: L;
  editing: "new" | number;
  blank: PartialDraft<DraftOf<L>>;
  children: ReactNode;
}

const ruleOf = {
  "background-images": rules.BackgroundImage,
  "alert-messages": rules.AlertMessage,
  "renewal-messages": rules.RenewalMessage,
};

export function EntryForm<L extends EntryList>(props: EntryFormProps<L>) {
  const { list, editing } = props;
  if (editing === "new") return <NewEntry {...props} />;
  return <FetchedForm key={`${list} ${editing}`} {...props} id={editing} />;
}

function NewEntry<L extends EntryList>(props: EntryFormProps<L>) {
  const { list, blank } = props;
  const { draft, formKey, isNew, another } = useCreatedInARow<DraftOf<L>>(() => blank, ruleOf[list]);
  const onAnother = () => {
    draft.reset(blank);
    another();
  };
  return <LoadedForm key={formKey} {...props} draft={draft} isNext={isNew} onAnother={onAnother} />;
}

function FetchedForm<L extends EntryList>(props: EntryFormProps<L> & { id: number }) {
  const { t } = useTranslation();
  const { close } = useSettingsAddress();
  const entry = useQuery(settingsQueries.one(props.list, props.id));
  const stored = useStored(entry, props.id);
  if (stored) return <StoredEntry {...props} stored={stored} />;
  if (!entry.isError) return <FormSkeleton />;
  return (
    <ErrorView
      title={t(`appSettings.${props.list}.loadFailed`)}
      message={messageOf(entry.error)}
      onRetry={isMissing(entry.error) ? undefined : () => void entry.refetch()}
      action={
        <Button size="xs" variant="default" leftSection={<BackIcon size={14} />} onClick={close}>
          {t("appSettings.back")}
        </Button>
      }
    />
  );
}

function StoredEntry<L extends EntryList>(props: EntryFormProps<L> & { stored: ItemOf<L> }) {
  const begin = props.stored as PartialDraft<DraftOf<L>>;
  const [draft] = useState(() => new Draft<DraftOf<L>>(begin, ruleOf[props.list]));
  return <LoadedForm {...props} draft={draft} />;
}

interface LoadedFormProps<L extends EntryList> extends EntryFormProps<L> {
  draft: Draft<DraftOf<L>>;
  stored?: ItemOf<L>;
  /** Another one was added just before. */
  isNext?: boolean;
  /** Begins the next one. */
  onAnother?: () => void;
}

function LoadedForm<L extends EntryList>(props: LoadedFormProps<L>) {
  const { list, draft, stored, isNext = false, onAnother, children } = props;
  const { t } = useTranslation();
  const { close } = useSettingsAddress();
  const once = useIdempotencyKey();
  const saving = useSaveEntry(list);
  const labels = `appSettings.${list}`;

  const save = async (version?: number, anew = !stored, after = close) => {
    const body = draft.toPayload();
    const sent = !anew && stored ? { id: stored.id, version } : { idempotencyKey: once.keyFor(body) };
    const saved = await saving.mutateAsync({ draft: body, ...sent });
    once.forget();
    toast.success(t(!anew ? `appSettings.${list}.saved` : `appSettings.${list}.added`));
    draft.reset(saved as PartialDraft<DraftOf<L>>);
    after();
  };
  const conflict = useConflict({
    draft,
    stored,
    resource: list,
    labels,
    saveOver: (version) => save(version),
  });
  /** The entry was deleted meanwhile: offers to create a new one from the form. */
  const createAnew = async (problem: Problem) => {
    if (!stored || !isMissing(problem)) return false;
    if (!(await askToCreateAnew(nameOf(stored)))) return false;
    await save(undefined, true);
    return true;
  };

  return (
    <section className="settings-form" aria-labelledby="entry-form-title">
      <h2 id="entry-form-title">{t(stored ? `appSettings.${list}.edit` : `appSettings.${list}.add`)}</h2>
      <EditForm
        draft={draft}
        labels={labels}
        submitLabel={t(stored ? "appSettings.save" : `appSettings.${list}.add`)}
        version={conflict.base?.version}
        onKeptVersion={conflict.baseOn}
        onSave={() => save(conflict.base?.version)}
        onSaveAndNext={onAnother && (() => save(undefined, true, onAnother))}
        nextLabel={t("form.saveAndCreate")}
        isNew={isNext}
        onCancel={close}
        once={once}
        onFailure={async (problem) => (await conflict.takeOver(problem)) || createAnew(problem)}
      >
        {children}
      </EditForm>
      {conflict.dialog}
    </section>
  );
}

function nameOf(entry: ItemOf<EntryList>): string {
  if ("title" in entry) return entry.title;
  return "name" in entry ? entry.name : entry.message;
}
