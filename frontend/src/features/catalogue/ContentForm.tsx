// Creating and editing any kind of content. What differs between kinds is in their definitions.
import { Button } from "@mantine/core";
import { useFocusReturn } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { contentEntries, type Kind } from "../../access/kinds";
import { useRecentItem } from "../../access/recent";
import { useMay } from "../../access/session";
import { messageOf, Problem } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { useConflict } from "../../forms/ConflictDialog";
import { askToCreateAnew } from "../../forms/createAnew";
import { DuplicateButton } from "../../forms/DuplicateButton";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm, type LastChange } from "../../forms/EditForm";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { useCreatedInARow } from "../../forms/useCreatedInARow";
import { DraftFields } from "../../forms/useDraftForm";
import { useStored } from "../../forms/useStored";
import { textAt, textNear } from "../../i18n";
import { paths } from "../../routing/paths";
import { ErrorView } from "../../ui/ErrorView";
import { BackIcon, SearchIcon } from "../../ui/icons";
import { returnAddress } from "../../ui/list/listState";
import { PageHeading } from "../../ui/PageHeading";
import { type ToastAction, toast } from "../../ui/toast";
import type { Draft as DraftOf, Link as LinkOf, Stored } from "./contents";
import type { ContentDefinition } from "./define";
import { FilmLookup } from "./FilmLookup";
import { HistoryButton } from "./history/HistoryButton";
import { LookupResult, UnmatchedGenres } from "./LookupResult";
import { newLink } from "./newLink";
import { contentQueries } from "./queries";
import { useLookup } from "./useLookup";
import { useNextItem } from "./useNextItem";
import { useSaveContent } from "./useSaveContent";
import "./item-forms.css";

interface ScreenProps<K extends Kind> {
  definition: ContentDefinition<K>;
}

/** Fields that a duplicate does not copy. */
const naturalKeys = ["imdbId", "channelNumber", "code"];

/** The initial values of a copy. */
function copyOf(values: Record<string, unknown>): object {
  const kept = Object.entries(values).filter(([name]) => !naturalKeys.includes(name));
  const { links, ...others } = Object.fromEntries(kept);
  return links ? { ...others, links: (links as LinkOf[]).map(newLink) } : others;
}

function useBackToList(kind: Kind, replace = false) {
  const navigate = useNavigate();
  const { to, state } = useBackLink(kind);
  return () => navigate(to, { state, replace });
}

/** The address of the list in its last state. */
export function useBackLink(kind: Kind) {
  const { t } = useTranslation();
  return {
    to: returnAddress(kind, paths.contents(kind)),
    label: t("contents.backTo", { list: t(`pages.${kind}`) }),
    state: { restoresList: true },
  };
}

/** Shows the message of the server where the kind has one, else `ours`. */
function notifySaved(name: string, ours: string, theirs?: string, link?: ToastAction) {
  if (theirs) toast.success(name, theirs, link);
  else toast.success(ours, undefined, link);
}

/** The link of a toast to the created item, for users who may open it. */
function useLinkTo(kind: Kind) {
  const { t } = useTranslation();
  const may = useMay();
  return ({ id }: { id: number }): ToastAction | undefined =>
    may(`${contentEntries[kind].entity}_UPDATE`)
      ? { label: t("common.open"), to: paths.editContent(kind, id) }
      : undefined;
}

export function CreateContent<K extends Kind>({ definition }: ScreenProps<K>) {
  const { t } = useTranslation();
  const { kind, Fields } = definition;
  const { draft, isCopy, formKey, another } = useCreatedInARow<DraftOf<K>>(
    definition.blank,
    rules[definition.schema],
  );
  const lookup = useLookup(definition, draft, isCopy);
  useFocusReturn({ opened: lookup.isOpen });
  const backToList = useBackToList(kind, isCopy);
  const back = useBackLink(kind);
  const once = useIdempotencyKey();
  const save = useCreate(definition, draft, once, {
    isCopy,
    backToList,
    another: () => {
      lookup.restart();
      another();
    },
  });
  const labels = `contents.${kind}`;
  const title = textAt(`${labels}.create`);
  const staysAnyway = definition.lookup && !definition.afterCreate;

  return (
    <>
      <PageHeading
        title={title}
        back={back}
        actions={
          definition.lookup &&
          !lookup.isOpen && (
            <Button variant="default" leftSection={<SearchIcon size={16} />} onClick={lookup.open}>
              {t("lookup.again")}
            </Button>
          )
        }
      />
      {lookup.isOpen && (
        <FilmLookup
          as={definition.lookup ?? "movie"}
          initialId={lookup.initialId}
          onFound={lookup.apply}
          onManual={lookup.isFormShown ? undefined : lookup.close}
          onCancel={lookup.isFormShown ? lookup.close : backToList}
        />
      )}
      {lookup.isFormShown && (
        <div className={definition.narrowForm ? "narrow-form" : undefined}>
          <UnmatchedGenres genres={lookup.unmatchedGenres} onClose={lookup.clearUnmatched} />
          <LookupResult draft={draft} labels={labels} filled={lookup.filled} />
          <EditForm
            key={formKey}
            draft={draft}
            labels={labels}
            submitLabel={title}
            onSave={() => save()}
            onSaveAndNext={staysAnyway ? undefined : () => save(true)}
            nextLabel={t("form.saveAndCreate")}
            onCancel={backToList}
            once={once}
            isNew
          >
            <Fields />
          </EditForm>
        </div>
      )}
    </>
  );
}

interface AfterCreate {
  isCopy: boolean;
  backToList: () => void;
  /** Begins the next item in the same form. */
  another: () => void;
}

/** Creates the item idempotently and opens the next page. */
function useCreate<K extends Kind>(
  definition: ContentDefinition<K>,
  draft: Draft<DraftOf<K>>,
  once: ReturnType<typeof useIdempotencyKey>,
  { isCopy, backToList, another }: AfterCreate,
) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const saving = useSaveContent(definition.kind);
  const linkTo = useLinkTo(definition.kind);
  return async (isFollowed = false) => {
    const body = draft.toPayload();
    const { saved, message } = await saving.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    const name = definition.nameOf(saved);
    const leads = definition.afterCreate && !isFollowed;
    notifySaved(name, t("contents.created", { name }), message, leads ? undefined : linkTo(saved));
    once.forget();
    draft.reset(definition.blank());
    if (isFollowed) another();
    else if (definition.afterCreate) navigate(definition.afterCreate(saved), { replace: isCopy });
    else if (definition.lookup) {
      another();
      window.scrollTo?.(0, 0);
    } else backToList();
  };
}

export function EditContent<K extends Kind>({ definition, id }: ScreenProps<K> & { id: number }) {
  const { kind } = definition;
  const item = useQuery(contentQueries.one(kind, id));
  const stored = useStored(item, id);
  if (item.isError && !stored)
    return <ItemFailure kind={kind} error={item.error} onRetry={() => void item.refetch()} />;
  if (!stored) return <FormSkeleton />;
  return <EditLoaded definition={definition} stored={stored} />;
}

function EditLoaded<K extends Kind>({ definition, stored }: ScreenProps<K> & { stored: Stored<K> }) {
  const { t } = useTranslation();
  const { kind, Fields, FormHeader, FormFooter } = definition;
  const [draft] = useState(
    () => new Draft<DraftOf<K>>(stored as PartialDraft<DraftOf<K>>, rules[definition.schema]),
  );
  const backToList = useBackToList(kind);
  const back = useBackLink(kind);
  const saving = useSaveContent(kind);
  const may = useMay();
  const once = useIdempotencyKey();
  const linkTo = useLinkTo(kind);

  const next = useNextItem(definition, stored.id);
  useRecentItem({ of: kind, name: definition.nameOf(stored), path: paths.editContent(kind, stored.id) });
  // Where saving leads, also when a conflict had to be answered first.
  const leave = useRef(backToList);

  const saveOver = async (version: number) => {
    const { saved, message } = await saving.mutateAsync({ id: stored.id, version, draft: draft.toPayload() });
    const name = definition.nameOf(saved);
    notifySaved(name, t("contents.saved", { name }), message);
    draft.reset(saved as PartialDraft<DraftOf<K>>);
    leave.current();
  };
  const labels = `contents.${kind}`;
  const conflict = useConflict({ draft, stored, resource: kind, labels, saveOver });
  const { base } = conflict;
  const client = useQueryClient();

  /** Changes made outside of the form become its base version; typed values stay. */
  const takeChanged = async () => {
    const item = await client.fetchQuery(contentQueries.one(kind, stored.id));
    draft.reset(item as PartialDraft<DraftOf<K>>, draft.writtenSince(JSON.parse(draft.begun())));
    conflict.baseOn(item.version, item);
  };

  /** The item was deleted meanwhile: offers to create a new one from the form. */
  const createAnew = async (problem: Problem): Promise<boolean> => {
    if (problem.status !== 404 || !may(`${contentEntries[kind].entity}_CREATE`)) return false;
    if (!(await askToCreateAnew(definition.nameOf(base)))) return false;
    const body = draft.toPayload();
    const { saved, message } = await saving.mutateAsync({
      draft: body,
      idempotencyKey: once.keyFor(body),
    });
    once.forget();
    const name = definition.nameOf(saved);
    notifySaved(name, t("contents.created", { name }), message, linkTo(saved));
    draft.reset(saved as PartialDraft<DraftOf<K>>);
    backToList();
    return true;
  };

  return (
    <div className={definition.narrowForm ? "narrow-form" : undefined}>
      <PageHeading
        title={t("contents.editTitle", { name: definition.nameOf(base) })}
        back={back}
        actions={
          <>
            <HistoryButton
              kind={kind}
              id={stored.id}
              name={definition.nameOf(base)}
              version={base.version}
              draft={draft}
            />
            {may(`${contentEntries[kind].entity}_CREATE`) && (
              <DuplicateButton draft={draft} to={paths.newContent(kind)} copyOf={copyOf} />
            )}
          </>
        }
      />
      {FormHeader && (
        <Suspense fallback={null}>
          <DraftFields draft={draft} labels={labels}>
            <FormHeader item={base} onChanged={() => void takeChanged().catch(() => undefined)} />
          </DraftFields>
        </Suspense>
      )}
      <EditForm
        draft={draft}
        labels={labels}
        submitLabel={textNear(`contents.${kind}`, "submitEdit")}
        version={base.version}
        onKeptVersion={conflict.baseOn}
        lastChange={base as LastChange}
        onSave={() => {
          leave.current = backToList;
          return saveOver(base.version);
        }}
        onSaveAndNext={
          next &&
          (() => {
            leave.current = next;
            return saveOver(base.version);
          })
        }
        onCancel={backToList}
        onFailure={async (problem) => (await conflict.takeOver(problem)) || createAnew(problem)}
      >
        <Fields />
      </EditForm>
      {FormFooter && <FormFooter item={base} />}
      {conflict.dialog}
    </div>
  );
}

/** Shown for an item that could not be loaded or does not exist. */
export function ItemFailure({ kind, error, onRetry }: { kind: Kind; error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  const isMissing = error instanceof Problem && error.status === 404;
  return (
    <>
      <PageHeading title={t(`pages.${kind}`)} />
      <ErrorView
        title={
          isMissing ? textNear(`contents.${kind}`, "notFound") : textNear(`contents.${kind}`, "loadFailed")
        }
        message={isMissing ? t("contents.notFoundHelp") : messageOf(error)}
        onRetry={isMissing ? undefined : onRetry}
        action={
          <Button
            component={Link}
            to={paths.contents(kind)}
            size="xs"
            variant="default"
            leftSection={<BackIcon size={14} />}
          >
            {t("contents.backTo", { list: t(`pages.${kind}`) })}
          </Button>
        }
      />
    </>
  );
}
