// The frame of a form: saves once however often it is submitted, by button, Enter or Ctrl+S; keeps what was typed when
// saving fails; asks before changes are left behind. What is saved, and how, is the caller's.
import { Alert, Button, Group } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker } from "react-router";
import { useSession } from "../access/session";
import { messageOf, Problem } from "../api/problem";
import { formatDay, formatMoment } from "../i18n/formats";
import { confirm } from "../ui/confirm";
// The question before leaving comes with the form that it guards.
import "../ui/ConfirmDialog";
import { AlertIcon } from "../ui/icons";
import { useFirstField } from "../ui/useFirstField";
import type { Draft } from "./draft";
import "./forms.css";
import { DraftFields } from "./useDraftForm";
import { addressOf, useAskBeforeUnload, useKeptDraft } from "./useKeptDraft";

export interface LastChange {
  updatedBy?: string | null;
  updatedDate?: string | null;
}

interface EditFormProps<D extends object> {
  draft: Draft<D>;
  labels: string;
  submitLabel: string;
  /** What the button says while it saves; without it, it turns. */
  savingLabel?: string;
  onSave: () => Promise<void>;
  /** Saves and opens the next item, where there is one. */
  onSaveAndNext?: () => Promise<void>;
  onCancel: () => void;
  /** Who wrote last what is stored, and when. */
  lastChange?: LastChange;
  /** Something new: its first field gets the focus. */
  isNew?: boolean;
  /** The version that is being changed, and what to do when a draft of an older one comes back. */
  version?: number;
  onKeptVersion?: (version: number, before?: object) => void;
  /** Takes over a failure that has an answer of its own; true when it did. Throws the failure that came of it. */
  onFailure?: (problem: Problem) => boolean | Promise<boolean>;
  children: ReactNode;
}

export function EditForm<D extends object>(props: EditFormProps<D>) {
  const { draft, onSave, onFailure } = props;
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const isSaving = useRef(false);
  const [busy, setBusy] = useState<"save" | "next">();
  const isBusy = busy !== undefined;
  const [failure, setFailure] = useState<string | null>(null);
  const guarded = draft as unknown as Draft<object>;
  useLeaveGuard(guarded);
  useAskBeforeUnload(guarded);
  const cameBack = useKeptDraft(
    guarded,
    () => ({ version: props.version, before: guarded.unchanged() }),
    (kept) => {
      if (kept.version !== undefined) props.onKeptVersion?.(kept.version, kept.before);
    },
  );

  const answer = async (error: unknown) => {
    if (!(error instanceof Problem)) return setFailure(messageOf(error));
    draft.accuse(error.violations);
    try {
      if (await onFailure?.(error)) return;
    } catch (next) {
      if (next instanceof Problem) draft.accuse(next.violations);
      return setFailure(messageOf(next));
    }
    setFailure(messageOf(error));
  };

  const save = async (button: "save" | "next" = "save") => {
    if (isSaving.current) return;
    setFailure(null);
    if (!draft.check()) return focusFirstError(form.current);
    isSaving.current = true;
    setBusy(button);
    try {
      await (button === "next" ? props.onSaveAndNext : onSave)?.();
    } catch (error) {
      await answer(error);
      focusFirstError(form.current);
    } finally {
      isSaving.current = false;
      setBusy(undefined);
    }
  };
  useSaveKeys(form, save);
  useFirstField(form, props.isNew ?? false, isUnused);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };

  return (
    <form ref={form} className="edit-form" onSubmit={submit} noValidate>
      {cameBack && <Alert color="blue">{t("form.cameBack")}</Alert>}
      <DraftFields draft={draft} labels={props.labels}>
        {props.children}
      </DraftFields>
      <div className="form-foot">
        <div aria-live="assertive">
          {failure && (
            <Alert color="red" icon={<AlertIcon />} title={t("form.notSaved")} mb="sm">
              {failure}
            </Alert>
          )}
        </div>
        <Group gap="sm">
          <Button
            type="submit"
            loading={busy === "save" && !props.savingLabel}
            aria-disabled={isBusy}
            loaderProps={{ "aria-label": t("form.saving") }}
          >
            {busy === "save" && props.savingLabel ? props.savingLabel : props.submitLabel}
          </Button>
          {props.onSaveAndNext && (
            <Button
              variant="light"
              loading={busy === "next"}
              aria-disabled={isBusy}
              loaderProps={{ "aria-label": t("form.saving") }}
              onClick={() => void save("next")}
            >
              {t("form.saveAndNext")}
            </Button>
          )}
          <Button
            variant="default"
            className={props.onSaveAndNext ? "form-cancel" : undefined}
            onClick={props.onCancel}
          >
            {t("common.cancel")}
          </Button>
          <ErrorCount draft={guarded} onClick={() => focusFirstError(form.current)} />
          <span className="form-hint">
            {props.lastChange?.updatedDate && <LastChangeText {...props.lastChange} />}
            <span>{t("form.saveKeys")}</span>
          </span>
        </Group>
      </div>
    </form>
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

/** The focus has fallen to the page, or stands on its heading. */
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

function useSaveKeys(form: React.RefObject<HTMLFormElement | null>, save: () => void) {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      // A dialog that saved by this may be gone from the page already.
      if (event.defaultPrevented) return;
      // The browser would save the page, which nobody here ever wants.
      event.preventDefault();
      // A dialog on top answers for itself.
      const dialog = document.querySelector('[role="dialog"]');
      if (!dialog || (form.current && dialog.contains(form.current))) latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [form]);
}

/** Leaving with changes asks once, inside the panel and at the browser's own ways out. */
function useLeaveGuard(draft: Draft<object>) {
  const { t } = useTranslation();
  const { state } = useSession();
  const isIn = state.status === "in";
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      // A session that ended leaves no choice, and a draft that was saved a moment ago nothing to ask about.
      isIn && draft.isChanged() && addressOf(currentLocation) !== addressOf(nextLocation),
  );

  useEffect(() => {
    if (blocker.state !== "blocked") return;
    if (!isIn) return blocker.proceed();
    void confirm({
      title: t("form.leaveTitle"),
      consequence: t("form.leaveConsequence"),
      verb: t("form.leaveVerb"),
      cancel: t("form.leaveCancel"),
    }).then((leaves) => (leaves ? blocker.proceed() : blocker.reset()));
  }, [blocker, isIn, t]);
}
