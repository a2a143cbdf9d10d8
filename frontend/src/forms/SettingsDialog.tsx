// A dialog of settings that are replaced together.
import { Button, Group, Stack } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, Problem } from "../api/problem";
import type { Rule } from "../api/rule";
import { askAndClose } from "../ui/askAndClose";
import { Dialog } from "../ui/Dialog";
import { FailureAlert } from "../ui/FailureAlert";
import { useConflict } from "./ConflictDialog";
import { Draft, type PartialDraft } from "./draft";
import { LeaveGuard } from "./LeaveGuard";
import { focusFirstInvalid, submitHandlers } from "./submitting";
import { useDialogDraft } from "./useDialogDraft";
import { DraftFields, useIsChanged } from "./useDraftForm";
import type { addressOf } from "./useKeptDraft";

interface SettingsDialogProps<Settings extends object> {
  title: string;
  /** The settings as they are now. */
  of: Settings & { version: number };
  /** Each of them has a value. */
  rule: Rule;
  /** What they are settings of, by the path of the API. */
  resource: string;
  /** What its draft is kept by: no other form has the same. */
  draftOf: string;
  /** Where the texts of the fields are. */
  labels: string;
  submitLabel: string;
  placeOf?: typeof addressOf;
  /** Saves over this version. */
  save: (change: { settings: Settings; version: number }) => Promise<Settings & { version: number }>;
  onClose: () => void;
  children: ReactNode;
}

export function SettingsDialog<Settings extends object>(props: SettingsDialogProps<Settings>) {
  const { title, of, rule, resource, draftOf, labels, submitLabel, placeOf, save, onClose, children } = props;
  const { t } = useTranslation();
  const [draft] = useState(
    () =>
      new Draft<Settings>(of as PartialDraft<Settings>, {
        ...rule,
        required: Object.keys(rule.properties ?? {}),
      }),
  );
  const isChanged = useIsChanged(draft);
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const saveOver = async (version: number) => {
    const sent = draft.toPayload();
    const saved = await save({ settings: sent, version });
    const meanwhile = draft.writtenSince(sent);
    draft.reset(saved as PartialDraft<Settings>, meanwhile);
    if (Object.keys(meanwhile).length === 0) return onClose();
    conflict.baseOn(saved.version, saved);
  };
  const conflict = useConflict({ draft, stored: of, resource, labels, saveOver });

  const submit = async () => {
    if (isBusy) return;
    if (!draft.check()) return focusFirstInvalid(form.current);
    setFailure(undefined);
    setBusy(true);
    try {
      await saveOver(conflict.base.version).catch(async (error) => {
        if (!(await conflict.takeOver(error))) throw error;
      });
    } catch (error) {
      if (error instanceof Problem) draft.setErrors(error.violations);
      setFailure(messageOf(error));
      focusFirstInvalid(form.current);
    }
    setBusy(false);
  };
  const { proposal, abandon } = useDialogDraft(draft, {
    of: draftOf,
    labels,
    version: conflict.base.version,
    onKeptVersion: conflict.baseOn,
  });
  const close = () =>
    void askAndClose(isChanged, () => {
      abandon();
      onClose();
    });

  return (
    <Dialog title={title} onClose={close} isForm>
      {isChanged && <LeaveGuard placeOf={placeOf} onLeave={abandon} isKept />}
      <form ref={form} {...submitHandlers(() => void submit())} noValidate>
        <Stack gap="md">
          {proposal}
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
      {conflict.dialog}
    </Dialog>
  );
}
