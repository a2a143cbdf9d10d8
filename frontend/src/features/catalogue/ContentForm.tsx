// Creating and editing any kind of content. What differs between kinds is in their definitions.
import { Alert, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { startTransition, useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay, useUser } from "../../access/session";
import { newId } from "../../api/newId";
import { messageOf, Problem } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { useConflict } from "../../forms/ConflictDialog";
import { askToCreateAnew } from "../../forms/createAnew";
import { Draft, type Unfinished } from "../../forms/draft";
import { EditForm, type LastChange } from "../../forms/EditForm";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { keptDraft } from "../../forms/keptDraft";
import { textAt, textNear } from "../../i18n";
import { formatList } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { ErrorView } from "../../ui/ErrorView";
import { BackIcon, SearchIcon } from "../../ui/icons";
import { returnAddress } from "../../ui/list/returning";
import { PageHeading } from "../../ui/PageHeading";
import { type ToastAction, toast } from "../../ui/toast";
import type { Draft as DraftOf, Stored } from "./contents";
import type { ContentDefinition } from "./define";
import { FilmLookup, type FoundFilm } from "./FilmLookup";
import { contentQueries, useSaveContent } from "./queries";
import { useNextItem } from "./useNextItem";
import "./item-forms.css";

interface ScreenProps<K extends Kind> {
  of: ContentDefinition<K>;
}

function useDraft<K extends Kind>(of: ContentDefinition<K>, initial: () => Unfinished<DraftOf<K>>) {
  return useState(() => new Draft<DraftOf<K>>(initial(), rules[of.schema]))[0];
}

function useBackToList(kind: Kind) {
  const navigate = useNavigate();
  const { to, state } = useBackLink(kind);
  return () => navigate(to, { state });
}

/** The list as it was left. */
export function useBackLink(kind: Kind) {
  const { t } = useTranslation();
  return {
    to: returnAddress(kind, paths.contents(kind)),
    label: t("contents.backTo", { list: t(`pages.${kind}`) }),
    state: { returning: true },
  };
}

/** In the server's words, where it has some for this kind, and of what; else in ours. */
function tellSaved(name: string, ours: string, theirs?: string, link?: ToastAction) {
  if (theirs) toast.success(name, theirs, link);
  else toast.success(ours, undefined, link);
}

/** Leads from a toast to what was created, for who may open it. */
function useLinkTo(kind: Kind) {
  const { t } = useTranslation();
  const may = useMay();
  return ({ id }: { id: number }): ToastAction | undefined =>
    may(`${contentEntries[kind].entity}_UPDATE`)
      ? { label: t("common.open"), to: paths.editContent(kind, id) }
      : undefined;
}

export function CreateContent<K extends Kind>({ of }: ScreenProps<K>) {
  const { t } = useTranslation();
  const { kind, Fields } = of;
  const draft = useDraft(of, of.blank);
  const { username } = useUser();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const [isLookingUp, setLookingUp] = useState(
    () => of.lookup !== undefined && !keptDraft(username, pathname + search),
  );
  const [unmatched, setUnmatched] = useState<string[]>([]);
  const [filled, setFilled] = useState<string[]>([]);
  const backToList = useBackToList(kind);
  const back = useBackLink(kind);
  const saving = useSaveContent(kind);
  const linkTo = useLinkTo(kind);
  // The same film sent twice (an answer that got lost, a second try) must stay one film.
  const sent = useRef({ body: "", key: "" });

  // The lookup stays in sight until the fields are there.
  const leaveLookup = () => startTransition(() => setLookingUp(false));
  const take = (found: FoundFilm) => {
    draft.merge(found.draft as Unfinished<DraftOf<K>>);
    setUnmatched(found.unmatchedGenres);
    setFilled(Object.keys(found.draft).filter((name) => !isEmpty(draft.get(name))));
    leaveLookup();
  };

  const save = async () => {
    const body = draft.finished();
    const text = JSON.stringify(body);
    if (sent.current.body !== text) sent.current = { body: text, key: newId() };
    const { saved, message } = await saving.mutateAsync({ draft: body, idempotencyKey: sent.current.key });
    const name = of.nameOf(saved);
    tellSaved(name, t("contents.created", { name }), message, of.afterCreate ? undefined : linkTo(saved));
    sent.current = { body: "", key: "" };
    draft.reset(of.blank());
    setUnmatched([]);
    setFilled([]);
    if (of.afterCreate) navigate(of.afterCreate(saved));
    else if (of.lookup) {
      setLookingUp(true);
      window.scrollTo?.(0, 0);
    } else backToList();
  };

  return (
    <>
      <PageHeading
        title={textAt(`contents.${kind}.create`)}
        back={back}
        actions={
          of.lookup &&
          !isLookingUp && (
            <Button
              variant="default"
              leftSection={<SearchIcon size={16} />}
              onClick={() => setLookingUp(true)}
            >
              {t("lookup.again")}
            </Button>
          )
        }
      />
      {isLookingUp ? (
        <FilmLookup as={of.lookup ?? "movie"} onFound={take} onManual={leaveLookup} onCancel={backToList} />
      ) : (
        <div className={of.narrowForm ? "narrow-form" : undefined}>
          {unmatched.length > 0 && (
            <Alert
              color="yellow"
              mb="md"
              withCloseButton
              closeButtonLabel={t("common.close")}
              onClose={() => setUnmatched([])}
            >
              {t("lookup.unmatched", { count: unmatched.length, genres: formatList(unmatched) })}
            </Alert>
          )}
          {filled.length > 0 && (
            <LookupResult
              draft={draft as unknown as Draft<object>}
              labels={`contents.${kind}`}
              filled={filled}
            />
          )}
          <EditForm
            draft={draft}
            labels={`contents.${kind}`}
            submitLabel={textAt(`contents.${kind}.create`)}
            onSave={save}
            onCancel={backToList}
            isNew
          >
            <Fields />
          </EditForm>
        </div>
      )}
    </>
  );
}

/** What the film database filled in, and what is still missing of what the form asks for or viewers look at. */
function LookupResult({ draft, labels, filled }: LookupResultProps) {
  const { t } = useTranslation();
  const missing = useSyncExternalStore(draft.subscribe, () =>
    Object.keys(draft.rule.properties ?? {})
      .filter((name) => draft.isRequired(name) || wanted.includes(name))
      .filter((name) => isEmpty(draft.get(name)))
      .join(),
  );
  const names = (fields: readonly string[]) =>
    formatList(fields.map((field) => textNear(labels, `fields.${field}`)));
  return (
    <Alert color="blue" mb="md">
      <div>{t("lookup.filled", { fields: names(filled) })}</div>
      {missing && (
        <div>
          <strong>{t("lookup.missing", { fields: names(missing.split(",")) })}</strong>
        </div>
      )}
    </Alert>
  );
}

interface LookupResultProps {
  draft: Draft<object>;
  labels: string;
  filled: readonly string[];
}

/** No form asks for these, and viewers miss them. */
const wanted = ["spanishSynopsis", "englishSynopsis", "coverImageUrl"];

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

export function EditContent<K extends Kind>({ of, id }: ScreenProps<K> & { id: number }) {
  const { kind } = of;
  const item = useQuery(contentQueries.one(kind, id));
  // What is kept may be old: the form begins with what the server says now.
  const stored = item.isFetchedAfterMount ? item.data : undefined;
  if (item.isError && !stored)
    return <ItemFailure kind={kind} error={item.error} onRetry={() => void item.refetch()} />;
  if (!stored) return <FormSkeleton />;
  return <EditLoaded of={of} stored={stored} />;
}

function EditLoaded<K extends Kind>({ of, stored }: ScreenProps<K> & { stored: Stored<K> }) {
  const { t } = useTranslation();
  const { kind, Fields } = of;
  const draft = useDraft(of, () => stored as Unfinished<DraftOf<K>>);
  const backToList = useBackToList(kind);
  const back = useBackLink(kind);
  const saving = useSaveContent(kind);
  const may = useMay();
  const once = useIdempotencyKey();
  const linkTo = useLinkTo(kind);

  const next = useNextItem(of, stored.id);
  // Where saving leads, also when a conflict had to be answered first.
  const leave = useRef(backToList);

  const saveOver = async (version: number) => {
    const { saved, message } = await saving.mutateAsync({ id: stored.id, version, draft: draft.finished() });
    const name = of.nameOf(saved);
    tellSaved(name, t("contents.saved", { name }), message);
    draft.reset(saved as Unfinished<DraftOf<K>>);
    leave.current();
  };
  const labels = `contents.${kind}`;
  const conflict = useConflict({ draft, stored, labels, saveOver });
  const { base } = conflict;

  /** Somebody deleted it meanwhile: what is in the form can become a new item. */
  const createAnew = async (problem: Problem): Promise<boolean> => {
    if (problem.status !== 404 || !may(`${contentEntries[kind].entity}_CREATE`)) return false;
    if (!(await askToCreateAnew(of.nameOf(base)))) return false;
    const body = draft.finished();
    const { saved, message } = await saving.mutateAsync({
      draft: body,
      idempotencyKey: once.keyFor(body),
    });
    once.forget();
    const name = of.nameOf(saved);
    tellSaved(name, t("contents.created", { name }), message, linkTo(saved));
    draft.reset(saved as Unfinished<DraftOf<K>>);
    backToList();
    return true;
  };

  return (
    <div className={of.narrowForm ? "narrow-form" : undefined}>
      <PageHeading title={t("contents.editTitle", { name: of.nameOf(base) })} back={back} />
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
      {conflict.dialog}
    </div>
  );
}

/** An item that could not be loaded, or is not there. */
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
