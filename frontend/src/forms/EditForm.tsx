// The frame of a form: saves once however often it is asked, by button, Enter or Ctrl+S; keeps what was typed when
// saving fails; asks before changes are left behind. What is saved, and how, is the caller's.
import { Alert, Button, Group } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker, useLocation } from "react-router";
import { onSessionEnd, useSession, useUser } from "../access/session";
import { messageOf, Problem } from "../api/problem";
import { isReloading, onReload } from "../loading/reload";
import { confirm } from "../ui/confirm";
// The question before leaving comes with the form that it guards.
import "../ui/ConfirmDialog";
import { AlertIcon } from "../ui/icons";
import type { Draft } from "./draft";
import "./forms.css";
import { forgetDraft, keepDraft, keptDraft } from "./keptDraft";
import { DraftFields, useIsChanged } from "./useDraftForm";

interface EditFormProps<D extends object> {
  draft: Draft<D>;
  labels: string;
  submitLabel: string;
  /** What the button says while it saves; without it, it turns. */
  savingLabel?: string;
  onSave: () => Promise<void>;
  onCancel: () => void;
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
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  useLeaveGuard(draft as unknown as Draft<object>);
  const cameBack = useKeptDraft(draft as unknown as Draft<object>, props.version, props.onKeptVersion);

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

  const save = async () => {
    if (isSaving.current) return;
    setFailure(null);
    if (!draft.check()) return focusFirstError(form.current);
    isSaving.current = true;
    setBusy(true);
    try {
      await onSave();
    } catch (error) {
      await answer(error);
      focusFirstError(form.current);
    } finally {
      isSaving.current = false;
      setBusy(false);
    }
  };
  useSaveKeys(form, save);

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
            loading={isBusy && !props.savingLabel}
            aria-disabled={isBusy}
            loaderProps={{ "aria-label": t("form.saving") }}
          >
            {isBusy && props.savingLabel ? props.savingLabel : props.submitLabel}
          </Button>
          <Button variant="default" onClick={props.onCancel}>
            {t("common.cancel")}
          </Button>
          <span className="form-hint">{t("form.saveKeys")}</span>
        </Group>
      </div>
    </form>
  );
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

/** A form may be one of several at the same path. */
function addressOf({ pathname, search }: { pathname: string; search: string }): string {
  return pathname + search;
}

/** Leaving with changes asks once, inside the panel and at the browser's own ways out. */
function useLeaveGuard(draft: Draft<object>) {
  const { t } = useTranslation();
  const { state } = useSession();
  const isChanged = useIsChanged(draft);
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

  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (!isReloading()) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isChanged]);
}

/** Neither the end of a session nor a reload loses what was written. Answers whether something was restored. */
function useKeptDraft(
  draft: Draft<object>,
  version?: number,
  onKeptVersion?: (version: number, before?: object) => void,
): boolean {
  const { username } = useUser();
  const address = addressOf(useLocation());
  const [kept] = useState(() => keptDraft(username, address));
  const tellVersion = useRef(onKeptVersion);

  useEffect(() => {
    if (!kept) return;
    draft.merge(kept.values);
    if (kept.version !== undefined) tellVersion.current?.(kept.version, kept.before);
    forgetDraft(username, address);
  }, [kept, draft, username, address]);

  useEffect(() => {
    const keep = () => {
      if (draft.isChanged())
        keepDraft(username, address, { values: draft.keepable(), version, before: draft.unchanged() });
    };
    const stops = [onReload(keep), onSessionEnd((ending) => ending === "expired" && keep())];
    return () => {
      for (const stop of stops) stop();
    };
  }, [draft, username, address, version]);
  return kept !== undefined;
}
