// Sets a new password of another user: generated and shown once, or typed. The user's sessions end.
import { Button, Group, Radio, Stack } from "@mantine/core";
import "@mantine/core/styles/Radio.layer.css";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Problem } from "../../api/problem";
import { type Failure, failureOf } from "../../api/unknownOutcome";
import { Draft } from "../../forms/draft";
import "../../forms/forms.css";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { secretQuestion } from "../../forms/secretQuestion";
import { focusFirstInvalid } from "../../forms/submitting";
import { DraftFields } from "../../forms/useDraftForm";
import { useSecretOnce } from "../../forms/useSecretOnce";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { toast } from "../../ui/toast";
import { PasswordField } from "./PasswordField";
import { type PasswordDraft, resetRule } from "./password";
import { useResetPassword } from "./queries";
import type { UserRow } from "./user";

interface ResetPasswordDialogProps {
  user: Pick<UserRow, "username" | "fullName" | "role">;
  onClose: () => void;
}

export function ResetPasswordDialog({ user, onClose }: ResetPasswordDialogProps) {
  const { t } = useTranslation();
  const [password, setPassword] = useState<string>();
  const [isTyped, setTyped] = useState(false);
  const [draft] = useState(
    () => new Draft<PasswordDraft>({ password: "", roleCode: user.role.code }, resetRule),
  );
  const resetting = useResetPassword(user.username);
  const generated = useSecretOnce({
    secret: password,
    texts: "users.reset.made",
    name: user.fullName,
    onClose,
  });
  // The answer has the generated password, which is shown once.
  const isComing = resetting.isPending && !isTyped;
  const close = () => {
    if (isComing) return;
    if (password !== undefined) return generated.close();
    void askAndClose(isTyped && draft.isChanged(), onClose);
  };
  return (
    <Dialog title={t("users.reset.title", { name: user.fullName })} onClose={close} isForm>
      {isComing && <LeaveGuard question={secretQuestion("users.reset.made")} />}
      {generated.content || (
        <ResetForm
          {...{ user, draft, resetting, isTyped }}
          onTyped={setTyped}
          onGenerated={setPassword}
          onDone={onClose}
          onCancel={close}
        />
      )}
    </Dialog>
  );
}

interface ResetFormProps extends Pick<ResetPasswordDialogProps, "user"> {
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
  const { user, draft, resetting, isTyped, onTyped, onGenerated, onDone, onCancel } = props;
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
        toast.success(t("users.reset.done", { name: user.fullName }));
        onDone();
      },
      onError: (error) => {
        if (error instanceof Problem) draft.setErrors(error.violations);
        const unknown = {
          title: t("users.reset.unknown.title"),
          message: t("users.reset.unknown.message", { name: user.fullName }),
        };
        setFailure(failureOf(error, t("users.reset.notDone"), unknown));
      },
    });
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <p className="quiet">{t("users.reset.consequence", { name: user.fullName })}</p>
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
              user.role.code === "app" ? t("users.reset.generatesPin") : t("users.reset.generatesPassword")
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
