// Form of a credit operation: kind, amount and reason. Repeated submits send it once; typed values stay until the server has
// confirmed it.
import { Alert, Button, Checkbox, Group, NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/Alert.layer.css";
import "@mantine/core/styles/Checkbox.layer.css";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { OperationType } from "../../api/enums/OperationType.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft, type PartialDraft } from "../../forms/draft";
import { fieldsOf } from "../../forms/fieldsOf";
import "../../forms/forms.css";
import { focusFirstInvalid, submitHandlers } from "../../forms/submitting";
import { DraftFields, useField, useIsChanged, useValue } from "../../forms/useDraftForm";
import { useAskBeforeUnload, useKeptDraft } from "../../forms/useKeptDraft";
import { useLeaveGuard } from "../../forms/useLeaveGuard";
import { labelOf } from "../../i18n/enums";
import { FailureAlert } from "../../ui/FailureAlert";
import { toast } from "../../ui/toast";
import { CreditPreview } from "./CreditPreview";
import { type CreditDraft, creditRule, type Operation, operationsFor } from "./credits";
import { creditsToReachToday } from "./reachToday";
import { useQuote } from "./useQuote";
import type { User } from "./user";
import { useSendCredits } from "./useSendCredits";

const { Amount, LongText } = fieldsOf<CreditDraft>();

interface CreditFormProps {
  user: User;
  onDone: () => void;
  onCancel: () => void;
  /** Receives a function that returns whether something was typed. */
  isChanged: { current: () => boolean };
  /** Receives a function that discards typed values. */
  discard: { current: () => void };
}

/** The dialog is in the address: going back closes it. Rendered only while it confirms, since the router has one guard, which
 * may be needed for a note on the page behind. */
function DialogGuard() {
  useLeaveGuard(() => true);
  return null;
}

export function CreditForm({ user, onDone, onCancel, isChanged, discard }: CreditFormProps) {
  const { t } = useTranslation();
  const { username: targetUsername, fullName, role } = user;
  const operations = operationsFor(role.code);
  const blank = (): PartialDraft<CreditDraft> => ({ targetUsername, operationType: operations[0] });
  const [draft] = useState(() => new Draft<CreditDraft>(blank(), creditRule(role.code)));
  const form = useRef<HTMLFormElement>(null);
  const toReachToday = role.code === "agent" ? undefined : creditsToReachToday(user.expirationDate ?? null);
  const once = useIdempotencyKey();
  const hasChanges = useIsChanged(draft);
  useAskBeforeUnload(hasChanges, true);
  const cameBack = useKeptDraft(
    draft,
    () => ({ sent: once.sent() }),
    (kept) => once.restore(kept.sent),
  );
  const preview = useQuote(draft);
  const sending = useSendCredits(draft, once, preview);
  const expiry = useExpiryWarning(preview);

  useEffect(() => {
    isChanged.current = () => draft.isChanged();
    discard.current = () => draft.reset(draft.toPayload());
    form.current?.querySelector<HTMLElement>('[name="amount"]')?.focus();
  }, [draft, isChanged, discard]);

  const doneText = ({ operationType, amount }: CreditDraft) =>
    t(`credits.done.${operationType}`, { count: amount, name: fullName });

  const submit = async () => {
    if (sending.isSent()) return;
    sending.clearFailure();
    if (!draft.check()) return focusFirstInvalid(form.current);
    // Only an operation whose preview was shown is sent.
    if (!preview.isCurrent) return;
    if (!expiry.isConfirmed)
      return form.current?.querySelector<HTMLElement>('[name="stillExpired"]')?.focus();
    const sent = await sending.send();
    if (!sent) return;
    draft.reset(blank());
    const done = doneText(sent);
    if (expiry.warning) toast.warning(expiry.warning, done);
    else toast.success(done);
    onDone();
  };

  return (
    <form ref={form} className="credit-form" {...submitHandlers(() => void submit())} noValidate>
      {hasChanges && <DialogGuard />}
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
        {expiry.warning && (
          <Checkbox
            name="stillExpired"
            label={t("credits.stillExpired")}
            checked={expiry.isConfirmed}
            onChange={(event) => expiry.confirm(event.currentTarget.checked)}
          />
        )}
        <FailureAlert title={t("credits.notDone")}>{sending.failure}</FailureAlert>
        {sending.doneBefore && (
          <Alert color="yellow" role="alert" title={doneText(sending.doneBefore)}>
            {t("credits.doneBefore")}
          </Alert>
        )}
        {sending.hasEndChanged && (
          <Alert color="yellow" role="alert" title={t("credits.endChanged", { name: fullName })}>
            {t("credits.endChangedWhat")}
          </Alert>
        )}
        <Group gap="sm" justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t("common.cancel")}
          </Button>
          <SendButton
            isBusy={sending.isBusy}
            canSend={preview.isCurrent && expiry.isConfirmed && !sending.isBusy}
          />
        </Group>
      </DraftFields>
    </form>
  );
}

/** Whether the user stays expired after this operation, and whether that is confirmed. */
function useExpiryWarning({ isCurrent, answer: quote }: ReturnType<typeof useQuote>) {
  const warning = isCurrent
    ? quote?.warnings.find(({ code }) => code === "STILL_EXPIRED")?.message
    : undefined;
  // The confirmation is valid for one amount only.
  const [confirmed, setConfirmed] = useState<number>();
  return {
    warning,
    isConfirmed: !warning || confirmed === quote?.amount,
    confirm: (isConfirmed: boolean) => setConfirmed(isConfirmed ? quote?.amount : undefined),
  };
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

/** The submit button: names the operation and, once known, its amount. */
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
      // Not disabled: a click on an incomplete form shows the errors.
      aria-disabled={!canSend}
      data-waits={!canSend || undefined}
      loaderProps={{ "aria-label": t("credits.sending") }}
    >
      {count === undefined ? t(`credits.${verb}`) : t(`credits.${verb}Some`, { count })}
    </Button>
  );
}
