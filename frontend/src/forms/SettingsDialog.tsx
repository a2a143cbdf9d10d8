// A dialog of settings that are replaced together. Where somebody else was first, what they changed is shown beside what was
// changed here, and the next click saves that.
import { Button, Group, Stack } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, Problem } from "../api/problem";
import type { Rule } from "../api/rule";
import { askAndClose } from "../ui/askAndClose";
import { Dialog } from "../ui/Dialog";
import { FailureAlert } from "../ui/FailureAlert";
import { Draft, type PartialDraft } from "./draft";
import { LeaveGuard } from "./LeaveGuard";
import { focusFirstInvalid, submitHandlers } from "./submitting";
import { DraftFields, useIsChanged } from "./useDraftForm";
import type { addressOf } from "./useKeptDraft";
import { useOpened } from "./useOpened";

interface SettingsDialogProps<Settings extends object> {
  title: string;
  /** The settings as they are now. */
  of: Settings & { version: number };
  /** Each of them has a value. */
  rule: Rule;
  /** Where the texts of the fields are. */
  labels: string;
  submitLabel: string;
  placeOf?: typeof addressOf;
  /** Saves over this version. */
  save: (change: { settings: Settings; version: number }) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}

export function SettingsDialog<Settings extends object>(props: SettingsDialogProps<Settings>) {
  const { title, of, rule, labels, submitLabel, placeOf, save, onClose, children } = props;
  const { t } = useTranslation();
  const { opened, takeLatest } = useOpened(of);
  const [draft] = useState(
    () =>
      new Draft<Settings>(opened as PartialDraft<Settings>, {
        ...rule,
        required: Object.keys(rule.properties ?? {}),
      }),
  );
  const isChanged = useIsChanged(draft);
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  // A newer version: what was changed here stays.
  useEffect(() => {
    const before = JSON.parse(draft.begun()) as Settings;
    draft.reset(opened as PartialDraft<Settings>, draft.writtenSince(before));
  }, [draft, opened]);

  const submit = async () => {
    if (isBusy) return;
    if (!draft.check()) return focusFirstInvalid(form.current);
    setFailure(undefined);
    setBusy(true);
    const sent = draft.toPayload();
    try {
      await save({ settings: sent, version: opened.version });
      if (Object.keys(draft.writtenSince(sent)).length === 0) onClose();
      else takeLatest();
    } catch (error) {
      if (error instanceof Problem) {
        draft.setErrors(error.violations);
        if (error.code === "VERSION_CONFLICT") takeLatest();
      }
      setFailure(messageOf(error));
      focusFirstInvalid(form.current);
    }
    setBusy(false);
  };
  const close = () => void askAndClose(isChanged, onClose);

  return (
    <Dialog title={title} onClose={close} isForm>
      {isChanged && <LeaveGuard placeOf={placeOf} />}
      <form ref={form} {...submitHandlers(() => void submit())} noValidate>
        <Stack gap="md">
          <DraftFields draft={draft} labels={labels}>
            {children}
          </DraftFields>
          <FailureAlert title={t("form.notSaved")}>{failure}</FailureAlert>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={isBusy}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
