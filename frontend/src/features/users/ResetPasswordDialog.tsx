// Gives somebody else a new password: generated and shown once, or typed. Their sessions end.
import { Button, Group, Radio, Stack } from "@mantine/core";
import "@mantine/core/styles/Radio.layer.css";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, Problem } from "../../api/problem";
import { Draft } from "../../forms/draft";
import "../../forms/forms.css";
import { focusFirstInvalid } from "../../forms/submitting";
import { DraftFields } from "../../forms/useDraftForm";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { SecretField } from "../../ui/SecretField";
import { toast } from "../../ui/toast";
import { PasswordField } from "./PasswordField";
import { type PasswordDraft, resetRule } from "./password";
import type { PersonRow } from "./people";
import { useResetPassword } from "./queries";

interface ResetPasswordDialogProps {
  person: Pick<PersonRow, "username" | "fullName" | "role">;
  onClose: () => void;
}

export function ResetPasswordDialog({ person, onClose }: ResetPasswordDialogProps) {
  const { t } = useTranslation();
  const [password, setPassword] = useState<string>();
  return (
    <Dialog title={t("users.reset.title", { name: person.fullName })} onClose={onClose} isForm>
      {password === undefined ? (
        <ResetForm person={person} onGenerated={setPassword} onClose={onClose} />
      ) : (
        <Generated person={person} password={password} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ResetForm({
  person,
  onGenerated,
  onClose,
}: ResetPasswordDialogProps & { onGenerated: (password: string) => void }) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [isTyped, setTyped] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [draft] = useState(
    () => new Draft<PasswordDraft>({ password: "", roleCode: person.role.code }, resetRule),
  );
  const resetting = useResetPassword(person.username);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (resetting.isPending) return;
    if (isTyped && !draft.check()) return focusFirstInvalid(form.current);
    setFailure(undefined);
    resetting.mutate(isTyped ? draft.toPayload().password : undefined, {
      onSuccess: ({ password }) => {
        if (password) return onGenerated(password);
        toast.success(t("users.reset.done", { name: person.fullName }));
        onClose();
      },
      onError: (error) => {
        if (error instanceof Problem) draft.setErrors(error.violations);
        setFailure(messageOf(error));
      },
    });
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <p className="quiet">{t("users.reset.consequence", { name: person.fullName })}</p>
      <Radio.Group
        label={t("users.reset.way")}
        value={isTyped ? "type" : "generate"}
        onChange={(way) => setTyped(way === "type")}
        my="md"
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="generate"
            data-autofocus
            label={t("users.reset.generate")}
            description={
              person.role.code === "app" ? t("users.reset.generatesPin") : t("users.reset.generatesPassword")
            }
          />
          <Radio value="type" label={t("users.reset.type")} />
        </Stack>
      </Radio.Group>
      {isTyped && (
        <DraftFields draft={draft} labels="users">
          <PasswordField />
        </DraftFields>
      )}
      <FailureAlert title={t("users.reset.notDone")} mt="md">
        {failure}
      </FailureAlert>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" aria-disabled={resetting.isPending}>
          {t("users.reset.verb")}
        </Button>
      </Group>
    </form>
  );
}

function Generated({ person, password, onClose }: ResetPasswordDialogProps & { password: string }) {
  const { t } = useTranslation();
  return (
    <>
      <SecretField
        once={t("users.reset.once")}
        label={t("users.reset.newPassword", { name: person.fullName })}
        help={t("users.reset.done", { name: person.fullName })}
        value={password}
        copyLabel={t("users.reset.copy")}
        copiedLabel={t("users.reset.copied")}
        selectedLabel={t("users.reset.selected")}
      />
      <Group mt="lg" justify="flex-end">
        <Button onClick={onClose}>{t("common.close")}</Button>
      </Group>
    </>
  );
}
