// Gives somebody else a new password: generated and shown once, or typed. Their sessions end.
import { Button, Group, Radio, Stack } from "@mantine/core";
import "@mantine/core/styles/Radio.layer.css";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Problem } from "../../api/problem";
import { type Failure, failureOf } from "../../api/unknownOutcome";
import { Draft } from "../../forms/draft";
import "../../forms/forms.css";
import { focusFirstInvalid } from "../../forms/submitting";
import { DraftFields } from "../../forms/useDraftForm";
import { askAndClose, askAndCloseSecret } from "../../ui/askAndClose";
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
  const [wasCopied, setWasCopied] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const [draft] = useState(
    () => new Draft<PasswordDraft>({ password: "", roleCode: person.role.code }, resetRule),
  );
  const resetting = useResetPassword(person.username);
  const close = () => {
    // The answer has the generated password, which is shown once.
    if (resetting.isPending && !isTyped) return;
    if (password === undefined) return void askAndClose(isTyped && draft.isChanged(), onClose);
    const question = {
      title: t("users.reset.leaveTitle"),
      consequence: t("users.reset.leaveConsequence"),
      verb: t("users.reset.leaveVerb"),
      cancel: t("users.reset.leaveCancel"),
    };
    void askAndCloseSecret(wasCopied, question, onClose);
  };
  return (
    <Dialog title={t("users.reset.title", { name: person.fullName })} onClose={close} isForm>
      {password === undefined ? (
        <ResetForm
          {...{ person, draft, resetting, isTyped }}
          onTyped={setTyped}
          onGenerated={setPassword}
          onDone={onClose}
          onCancel={close}
        />
      ) : (
        <Generated person={person} password={password} onCopied={() => setWasCopied(true)} onClose={close} />
      )}
    </Dialog>
  );
}

interface ResetFormProps extends Pick<ResetPasswordDialogProps, "person"> {
  draft: Draft<PasswordDraft>;
  resetting: ReturnType<typeof useResetPassword>;
  /** Whether the password is typed, not generated. */
  isTyped: boolean;
  onTyped: (isTyped: boolean) => void;
  onGenerated: (password: string) => void;
  onDone: () => void;
  onCancel: () => void;
}

function ResetForm(props: ResetFormProps) {
  const { person, draft, resetting, isTyped, onTyped, onGenerated, onDone, onCancel } = props;
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<Failure>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (resetting.isPending) return;
    if (isTyped && !draft.check()) return focusFirstInvalid(form.current);
    setFailure(undefined);
    resetting.mutate(isTyped ? draft.toPayload().password : undefined, {
      onSuccess: ({ password }) => {
        if (password) return onGenerated(password);
        toast.success(t("users.reset.done", { name: person.fullName }));
        onDone();
      },
      onError: (error) => {
        if (error instanceof Problem) draft.setErrors(error.violations);
        const unknown = {
          title: t("users.reset.unknown.title"),
          message: t("users.reset.unknown.message", { name: person.fullName }),
        };
        setFailure(failureOf(error, t("users.reset.notDone"), unknown));
      },
    });
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <p className="quiet">{t("users.reset.consequence", { name: person.fullName })}</p>
      <Radio.Group
        label={t("users.reset.way")}
        value={isTyped ? "type" : "generate"}
        onChange={(way) => onTyped(way === "type")}
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
      <FailureAlert title={failure?.title ?? ""} mt="md">
        {failure?.message}
      </FailureAlert>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" onClick={onCancel} aria-disabled={resetting.isPending}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" aria-disabled={resetting.isPending}>
          {t("users.reset.verb")}
        </Button>
      </Group>
    </form>
  );
}

interface GeneratedProps extends ResetPasswordDialogProps {
  password: string;
  onCopied: () => void;
}

function Generated({ person, password, onCopied, onClose }: GeneratedProps) {
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
        onCopied={onCopied}
      />
      <Group mt="lg" justify="flex-end">
        <Button onClick={onClose}>{t("common.close")}</Button>
      </Group>
    </>
  );
}
