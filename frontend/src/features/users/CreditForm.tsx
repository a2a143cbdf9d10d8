// Moves credits: which operation, how many, why. Sends once, however often it is submitted; what was typed stays until
// the server has said yes.
import { Alert, Button, Checkbox, Group, NativeSelect } from "@mantine/core";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { OperationType } from "../../api/enums/OperationType.gen";
import { Problem } from "../../api/problem";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft, type Unfinished } from "../../forms/draft";
import { fieldsOf } from "../../forms/fieldsOf";
import "../../forms/forms.css";
import { DraftFields, useField, useValue } from "../../forms/useDraftForm";
import { useAskBeforeUnload, useKeptDraft } from "../../forms/useKeptDraft";
import { labelOf } from "../../i18n/enums";
import { AlertIcon } from "../../ui/icons";
import { toast } from "../../ui/toast";
import { CreditPreview } from "./CreditPreview";
import { type CreditDraft, creditRule, type Operation, operationsFor, useMoveCredits } from "./credits";
import type { Person } from "./people";
import { creditsToReachToday } from "./reachToday";
import { useQuote } from "./useQuote";

const { Amount, LongText } = fieldsOf<CreditDraft>();

interface CreditFormProps {
  person: Person;
  onDone: () => void;
  onCancel: () => void;
  /** Receives a function that says whether something was typed. */
  isChanged: { current: () => boolean };
}

export function CreditForm({ person, onDone, onCancel, isChanged }: CreditFormProps) {
  const { t } = useTranslation();
  const { username: targetUsername, fullName, role } = person;
  const operations = operationsFor(role.code);
  const blank = (): Unfinished<CreditDraft> => ({ targetUsername, operationType: operations[0] });
  const [draft] = useState(() => new Draft<CreditDraft>(blank(), creditRule(role.code)));
  const form = useRef<HTMLFormElement>(null);
  const toReachToday = role.code === "agent" ? undefined : creditsToReachToday(person.expirationDate ?? null);
  const move = useMoveCredits();
  const once = useIdempotencyKey();
  const guarded = draft as unknown as Draft<object>;
  useAskBeforeUnload(guarded);
  const cameBack = useKeptDraft(
    guarded,
    () => ({ sent: once.sent() }),
    (kept) => once.restore(kept.sent),
  );
  const [failure, setFailure] = useState<string>();
  const isSent = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const preview = useQuote(draft);
  const { isCurrent, quote } = preview;
  const stillExpired = isCurrent
    ? quote?.warnings.find(({ code }) => code === "STILL_EXPIRED")?.message
    : undefined;
  // It is confirmed for one amount, not for the next.
  const [confirmed, setConfirmed] = useState<number>();
  const isConfirmed = !stillExpired || confirmed === quote?.amount;
  const canSend = isCurrent && isConfirmed && !isBusy;

  useEffect(() => {
    isChanged.current = () => draft.isChanged();
    form.current?.querySelector<HTMLElement>('[name="amount"]')?.focus();
  }, [draft, isChanged]);

  const send = async () => {
    if (isSent.current) return;
    setFailure(undefined);
    if (!draft.check()) return focusFirstError(form.current);
    // Nothing is sent whose outcome was not on the screen.
    if (!isCurrent) return;
    if (!isConfirmed) return form.current?.querySelector<HTMLElement>('[name="stillExpired"]')?.focus();
    isSent.current = true;
    setBusy(true);
    const body = draft.finished();
    try {
      await move.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    } catch (error) {
      if (error instanceof Problem) draft.accuse(error.violations);
      setFailure(error instanceof Problem ? error.message : t("credits.failed"));
      isSent.current = false;
      return setBusy(false);
    }
    // It stays sent while the dialog goes: one more Enter must not begin anew.
    once.forget();
    draft.reset(blank());
    const done = t(`credits.done.${body.operationType}`, { count: body.amount, name: fullName });
    if (stillExpired) toast.warning(stillExpired, done);
    else toast.success(done);
    onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    void send();
  };

  return (
    <form ref={form} className="credit-form" onSubmit={submit} onKeyDown={onKeyDown} noValidate>
      {cameBack && <Alert color="blue">{t("credits.cameBack")}</Alert>}
      <DraftFields draft={draft} labels="credits">
        <div className="form-grid">
          <div data-span="8">
            <OperationField operations={operations} />
          </div>
          <div data-span="4">
            <Amount name="amount" isFirst />
          </div>
        </div>
        <LongText name="reason" rows={2} isCounted />
        {toReachToday && <p className="credit-reach">{t("credits.toReachToday", { count: toReachToday })}</p>}
        <CreditPreview of={preview} />
        {stillExpired && (
          <Checkbox
            name="stillExpired"
            label={t("credits.stillExpired")}
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked ? quote?.amount : undefined)}
          />
        )}
        <div aria-live="assertive">
          {failure && (
            <Alert color="red" icon={<AlertIcon />} title={t("credits.notDone")}>
              {failure}
            </Alert>
          )}
        </div>
        <Group gap="sm" justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t("common.cancel")}
          </Button>
          <SendButton isBusy={isBusy} canSend={canSend} />
        </Group>
      </DraftFields>
    </form>
  );
}

function OperationField({ operations }: { operations: readonly Operation[] }) {
  const { value, change, input } = useField<Operation>("operationType");
  return (
    <NativeSelect
      {...input}
      value={value}
      data={operations.map((operation) => ({ value: operation, label: labelOf(OperationType, operation) }))}
      onChange={(event) => change(event.currentTarget.value as Operation)}
    />
  );
}

/** Says what it will do, with how many as soon as that is known. */
function SendButton({ isBusy, canSend }: { isBusy: boolean; canSend: boolean }) {
  const { t } = useTranslation();
  const operation = useValue<Operation>("operationType");
  const amount = useValue<number | string | null>("amount");
  const deducts = operation.startsWith("DEDUCT");
  const count = Number.isInteger(amount) && Number(amount) > 0 ? Number(amount) : undefined;
  const verb = deducts ? "deduct" : "add";
  return (
    <Button
      type="submit"
      color={deducts ? "red" : undefined}
      loading={isBusy}
      // Not disabled: pressed too early it says what is missing.
      aria-disabled={!canSend}
      data-waits={!canSend || undefined}
      loaderProps={{ "aria-label": t("credits.sending") }}
    >
      {count === undefined ? t(`credits.${verb}`) : t(`credits.${verb}Some`, { count })}
    </Button>
  );
}

function focusFirstError(form: HTMLFormElement | null) {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
