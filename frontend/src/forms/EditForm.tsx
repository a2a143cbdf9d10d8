// What every form does: saves once however often it is submitted, by button, Enter or Ctrl+S; keeps what was typed when
// saving fails; confirms before changes are left behind. What is saved, and how, is the caller's.

import { Alert, Button, Group } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import {
  type FormEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useTranslation } from "react-i18next";
import { messageOf, Problem } from "../api/problem";
import type { useIdempotencyKey } from "../api/useIdempotencyKey";
import { formatDay, formatMoment } from "../i18n/formats";
import { FailureAlert } from "../ui/FailureAlert";
import { AlertIcon } from "../ui/icons";
import { useFirstField } from "../ui/useFirstField";
import type { Draft } from "./draft";
import { FoundDraft, LeftOut } from "./FoundDraft";
import "./forms.css";
import type { KeptDraft } from "./keptDraft";
import { DraftFields, useIsChanged } from "./useDraftForm";
import { useAskBeforeUnload, useKeptDraft } from "./useKeptDraft";
import { useLeaveGuard } from "./useLeaveGuard";
import { leftOutOf, useLocalDraft } from "./useLocalDraft";

export interface LastChange {
  updatedBy?: string | null;
  updatedDate?: string | null;
}

interface EditFormProps<D extends object> {
  draft: Draft<D>;
  labels: string;
  submitLabel: string;
  /** Label of the button while it saves; without it, a spinner is shown. */
  savingLabel?: string;
  onSave: () => Promise<void>;
  /** Saves and opens the next item, where there is one. */
  onSaveAndNext?: () => Promise<void>;
  /** Label of that button, where it is not the next one of a list. */
  nextLabel?: string;
  onCancel: () => void;
  /** Who wrote last what is stored, and when. */
  lastChange?: LastChange;
  /** Something new: its first field gets the focus. */
  isNew?: boolean;
  /** The version that is being changed, and what to do when a draft of an older one comes back. */
  version?: number;
  onKeptVersion?: (version: number, before?: object) => void;
  /** The key of something new: kept with its draft, so that it is never created twice. */
  once?: ReturnType<typeof useIdempotencyKey>;
  /** Takes over a failure that has an answer of its own; true when it did. Throws the failure that came of it. */
  onFailure?: (problem: Problem) => boolean | Promise<boolean>;
  children: ReactNode;
}

export function EditForm<D extends object>(props: EditFormProps<D>) {
  const { draft } = props;
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const isKept = useSyncExternalStore(draft.subscribe, () => draft.leftOut().length === 0);
  useAskBeforeUnload(useIsChanged(draft), isKept);
  const restored = useRef<KeptDraft>(undefined);
  /** The values of the version: a restored draft may be of an older one than the form began with. */
  const before = () =>
    (restored.current?.version === props.version && restored.current?.before) || draft.unchanged();
  const beside = () => ({
    version: props.version,
    before: before(),
    // What was sent has the secrets of the form.
    sent: draft.mayHaveSecrets() ? undefined : props.once?.sent(),
    leftOut: leftOutOf(draft),
  });
  const onRestored = (kept: KeptDraft) => {
    restored.current = kept;
    props.once?.restore(kept.sent);
    if (kept.version !== undefined) props.onKeptVersion?.(kept.version, kept.before);
  };
  const cameBack = useKeptDraft(draft, beside, onRestored);
  const local = useLocalDraft(draft, { beside, onRestored, isRestored: cameBack !== undefined });
  useLeaveGuard(
    () => draft.hasUnsavedChanges(),
    () => {
      draft.abandonDialogs();
      local.abandon();
    },
  );
  const saving = useSaving(props, form, local.store);
  useSaveKeys(form, saving.save);
  useFirstField(form, props.isNew ?? false, isUnused);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void saving.save();
  };

  return (
    <form ref={form} className="edit-form" onSubmit={submit} noValidate>
      {cameBack && (
        <Alert color="blue">
          {t("form.cameBack")} <LeftOut of={cameBack} labels={props.labels} />
        </Alert>
      )}
      {local.found && (
        <FoundDraft
          found={local.found}
          labels={props.labels}
          replaced={local.replaced}
          onRestore={local.restore}
          onDiscard={local.discard}
        />
      )}
      <DraftFields draft={draft} labels={props.labels}>
        {props.children}
      </DraftFields>
      <div className="form-foot">
        <FailureAlert title={t("form.notSaved")} mb="sm">
          {saving.failure}
        </FailureAlert>
        <FormButtons {...props} saving={saving} form={form} />
      </div>
    </form>
  );
}

type SaveButton = "save" | "next";
type Saving = ReturnType<typeof useSaving>;

/** Saves once at a time; says why it failed. */
function useSaving<D extends object>(
  { draft, onSave, onSaveAndNext, onFailure }: EditFormProps<D>,
  form: RefObject<HTMLFormElement | null>,
  storeDraft: () => void,
) {
  const isSaving = useRef(false);
  const [busy, setBusy] = useState<SaveButton>();
  const [failure, setFailure] = useState<string | null>(null);

  const fail = async (error: unknown) => {
    if (!(error instanceof Problem)) return setFailure(messageOf(error));
    draft.setErrors(error.violations);
    try {
      if (await onFailure?.(error)) return;
    } catch (next) {
      if (next instanceof Problem) draft.setErrors(next.violations);
      return setFailure(messageOf(next));
    }
    setFailure(messageOf(error));
  };

  const save = async (button: SaveButton = "save") => {
    if (isSaving.current) return;
    setFailure(null);
    if (!draft.check()) return focusFirstError(form.current);
    isSaving.current = true;
    setBusy(button);
    try {
      const sent = (button === "next" ? onSaveAndNext : onSave)?.();
      // With the key under which it was sent.
      storeDraft();
      await sent;
    } catch (error) {
      await fail(error);
      focusFirstError(form.current);
    } finally {
      isSaving.current = false;
      setBusy(undefined);
    }
  };
  return { busy, failure, save };
}

interface FormButtonsProps<D extends object> extends EditFormProps<D> {
  saving: Saving;
  form: RefObject<HTMLFormElement | null>;
}

function FormButtons<D extends object>(props: FormButtonsProps<D>) {
  const { t } = useTranslation();
  const { busy, save } = props.saving;
  const whileBusy = { "aria-disabled": busy !== undefined, loaderProps: { "aria-label": t("form.saving") } };
  return (
    <Group gap="sm">
      <Button type="submit" loading={busy === "save" && !props.savingLabel} {...whileBusy}>
        {busy === "save" && props.savingLabel ? props.savingLabel : props.submitLabel}
      </Button>
      {props.onSaveAndNext && (
        <Button variant="light" loading={busy === "next"} {...whileBusy} onClick={() => void save("next")}>
          {props.nextLabel ?? t("form.saveAndNext")}
        </Button>
      )}
      <Button
        variant="default"
        className={props.onSaveAndNext ? "form-cancel" : undefined}
        onClick={props.onCancel}
      >
        {t("common.cancel")}
      </Button>
      <ErrorCount draft={props.draft} onClick={() => focusFirstError(props.form.current)} />
      <span className="form-hint">
        {props.lastChange?.updatedDate && <LastChangeText {...props.lastChange} />}
        <span>{t("form.saveKeys")}</span>
      </span>
    </Group>
  );
}

/** How many fields are wrong; leads to the first of them. */
function ErrorCount({ draft, onClick }: { draft: Draft<object>; onClick: () => void }) {
  const { t } = useTranslation();
  const count = useSyncExternalStore(draft.subscribe, () => draft.allViolations().length);
  return (
    <output>
      {count > 0 && (
        <Button variant="subtle" color="red" leftSection={<AlertIcon size={16} />} onClick={onClick}>
          {t("form.errorCount", { count })}
        </Button>
      )}
    </output>
  );
}

function LastChangeText({ updatedBy, updatedDate }: LastChange) {
  const { t } = useTranslation();
  if (!updatedDate) return null;
  const date = formatDay(updatedDate);
  return (
    <time dateTime={updatedDate} title={formatMoment(updatedDate)}>
      {updatedBy ? t("form.lastChangeBy", { name: updatedBy, date }) : t("form.lastChange", { date })}
    </time>
  );
}

/** The focus has fallen to the page, or is on its heading. */
function isUnused(focused: Element | null): boolean {
  return !focused || focused === document.body || focused.tagName === "H1" || focused.id === "content";
}

/** The first thing to mend gets the focus, once it is on the screen. */
function focusFirstError(form: HTMLFormElement | null) {
  setTimeout(() => {
    const first = form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-field-error]');
    first?.focus();
    first?.scrollIntoView?.({ block: "center" });
  });
}

function useSaveKeys(form: RefObject<HTMLFormElement | null>, save: () => void) {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      // A dialog that saved by this may be gone from the page already.
      if (event.defaultPrevented) return;
      // Prevents the browser's own dialog for saving the page.
      event.preventDefault();
      if (event.repeat) return;
      // A dialog on top handles its own shortcut.
      const dialog = document.querySelector('[role="dialog"]');
      if (!dialog || (form.current && dialog.contains(form.current))) latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [form]);
}
