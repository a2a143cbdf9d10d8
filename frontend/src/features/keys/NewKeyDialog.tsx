// Creates a key and shows it once, in the same dialog.
import { Button, Checkbox, Group } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { KeyScope } from "../../api/enums/KeyScope.gen";
import { Problem } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { type Failure, failureOf } from "../../api/unknownOutcome";
import { Draft } from "../../forms/draft";
import { fieldsOf } from "../../forms/fieldsOf";
import "../../forms/forms.css";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { secretQuestion } from "../../forms/secretQuestion";
import { focusFirstInvalid } from "../../forms/submitting";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { DraftFields, useField, useIsChanged } from "../../forms/useDraftForm";
import { useSecretOnce } from "../../forms/useSecretOnce";
import { optionsOf } from "../../i18n/enums";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { type KeyDraft, type KeyMade, useMakeKey } from "./queries";

const { Text, Amount, Day } = fieldsOf<KeyDraft>();
const usualRate = 600;

export default function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [made, setMade] = useState<KeyMade>();
  const [draft] = useState(
    () =>
      new Draft<KeyDraft>(
        { name: "", scopes: [], expiresDate: null, callsPerMinute: usualRate },
        rules.NewKey,
      ),
  );
  const isChanged = useIsChanged(draft);
  const { proposal, abandon } = useDialogDraft(draft, { of: "keys new", labels: "keys" });
  const making = useMakeKey();
  const shown = useSecretOnce({ secret: made?.key, texts: "keys.made", onClose });
  const close = () => {
    // The answer has the key, which is shown once.
    if (making.isPending) return;
    if (made) return shown.close();
    void askAndClose(isChanged, () => {
      abandon();
      onClose();
    });
  };
  return (
    <Dialog title={made ? t("keys.made.title") : t("keys.newTitle")} onClose={close} isForm>
      {!made && isChanged && (
        <LeaveGuard
          question={making.isPending ? secretQuestion("keys.made") : undefined}
          onLeave={abandon}
          isKept={!making.isPending}
        />
      )}
      {shown.content || (
        <NewKeyForm
          {...{ draft, making, proposal }}
          onMade={(key) => {
            abandon();
            setMade(key);
          }}
          onCancel={close}
        />
      )}
    </Dialog>
  );
}

interface NewKeyFormProps {
  draft: Draft<KeyDraft>;
  making: ReturnType<typeof useMakeKey>;
  proposal: ReactNode;
  onMade: (made: KeyMade) => void;
  onCancel: () => void;
}

function NewKeyForm({ draft, making, proposal, onMade, onCancel }: NewKeyFormProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<Failure>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (making.isPending) return;
    if (!draft.check()) return focusFirstInvalid(form.current);
    setFailure(undefined);
    making.mutate(draft.toPayload(), {
      onSuccess: onMade,
      onError: (error) => {
        if (error instanceof Problem) draft.setErrors(error.violations);
        const unknown = { title: t("keys.unknown.title"), message: t("keys.unknown.message") };
        setFailure(failureOf(error, t("keys.notMade"), unknown));
      },
    });
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      {proposal}
      <DraftFields draft={draft} labels="keys">
        <div className="form-grid">
          <Text name="name" />
          <Scopes />
          <div data-span="6">
            <Day name="expiresDate" />
          </div>
          <div data-span="6">
            <Amount name="callsPerMinute" />
          </div>
        </div>
      </DraftFields>
      <FailureAlert title={failure?.title ?? ""} mt="md">
        {failure?.message}
      </FailureAlert>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" onClick={onCancel} aria-disabled={making.isPending}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" aria-disabled={making.isPending}>
          {making.isPending ? t("keys.making") : t("keys.make")}
        </Button>
      </Group>
    </form>
  );
}

/** Every scope, side by side. */
function Scopes() {
  const { value, change, violation, input } = useField<string[]>("scopes");
  return (
    <Checkbox.Group
      label={input.label}
      description={input.description}
      error={input.error}
      withAsterisk={input.withAsterisk}
      value={value ?? []}
      onChange={change}
    >
      <div className="key-scopes">
        {optionsOf(KeyScope).map((scope) => (
          <Checkbox
            key={scope.value}
            {...scope}
            aria-invalid={violation ? true : undefined}
            error={violation !== undefined}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
