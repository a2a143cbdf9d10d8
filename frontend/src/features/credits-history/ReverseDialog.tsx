// Confirms the reversal of an operation: what goes back to whom, and, if one likes, why. However often it is sent
// from here, it is done once.
import { Button, Group, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { isAdmin } from "../../access/permissions";
import { useUser } from "../../access/session";
import { messageOf } from "../../api/problem";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useDraftValue } from "../../forms/useDraftForm";
import { t } from "../../i18n";
import { formatMoment, formatNumber, formatServiceDay } from "../../i18n/formats";
import { formatTime } from "../../i18n/lazyFormats";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { toast } from "../../ui/toast";
import { type Line, useAskForReversal, useReverse } from "./queries";
import { type Side, sidesOf } from "./sides";
import "./credits-history.css";

const longestReason = 500;
const rule = { type: "object", properties: { reason: { type: "string" } } } as const;
/** Refusals of a reversal that an admin may do all the same. */
const askable = ["REVERSAL_TOO_LATE", "MOVED_SINCE"];

interface ReverseDialogProps {
  line: Line;
  onClose: () => void;
}

export default function ReverseDialog({ line, onClose }: ReverseDialogProps) {
  const { t } = useTranslation();
  const once = useIdempotencyKey();
  const askedOnce = useIdempotencyKey();
  const [draft] = useState(() => new Draft<{ reason: string }>({ reason: "" }, rule));
  const reason = useDraftValue<string | null>(draft, "reason") ?? "";
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `reversal ${line.id}`,
    labels: "creditsHistory",
  });
  const done = () => {
    abandon();
    onClose();
  };
  const reversing = useReverse();
  const asking = useAskForReversal();
  const isAgent = !isAdmin(useUser());
  // The server's clock decides: what it refuses can be requested.
  const isRequest = reversing.isError && askable.includes(reversing.error.code);
  const isBusy = reversing.isPending || asking.isPending;
  const length = [...reason].length;
  const counter = t("creditsHistory.reverse.counter", { length, max: longestReason });
  const isTooLong = length > longestReason;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || isTooLong) return;
    if (isRequest) {
      asking.mutate(
        { line, reason, idempotencyKey: askedOnce.keyFor({ reason: reason.trim() }) },
        {
          onSuccess: () => {
            toast.success(t("creditsHistory.requests.asked"));
            done();
          },
        },
      );
      return;
    }
    reversing.mutate(
      // Another reason is another request: a reversal whose answer got lost refuses it as reversed before.
      { line, reason, idempotencyKey: once.keyFor({ reason: reason.trim() }) },
      {
        onSuccess: () => {
          toast.success(t("creditsHistory.reverse.done", { name: line.targetUser.fullName }));
          done();
        },
      },
    );
  };

  const isTyped = reason.trim() !== "";
  const close = () => void askAndClose(isTyped, done);

  return (
    <Dialog title={t("creditsHistory.reverse.title")} onClose={close} isForm>
      {isTyped && <LeaveGuard onLeave={abandon} isKept />}
      <form onSubmit={submit} noValidate>
        <p className="reverse-what">
          {t("creditsHistory.reverse.what", { date: formatMoment(line.operationDate) })}
        </p>
        <Consequences line={line} />
        {isAgent && !isRequest && line.reversibleUntil && (
          <p className="reverse-what">{untilWhen(line.reversibleUntil)}</p>
        )}
        {proposal}
        <Textarea
          label={t("creditsHistory.reverse.reason")}
          description={isTooLong ? undefined : counter}
          error={isTooLong && counter}
          inputWrapperOrder={["label", "input", "description", "error"]}
          autosize
          minRows={2}
          maxRows={6}
          value={reason}
          onChange={(event) => draft.set("reason", event.currentTarget.value)}
        />
        <FailureAlert title={t("creditsHistory.reverse.failed")} mt="md">
          {reversing.isError && (
            <>
              {messageOf(reversing.error)} {isRequest && t("creditsHistory.requests.offer")}
            </>
          )}
        </FailureAlert>
        <FailureAlert title={t("creditsHistory.requests.askFailed")} mt="md">
          {asking.isError && messageOf(asking.error)}
        </FailureAlert>
        <Group mt="lg" gap="sm" justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            {t("common.cancel")}
          </Button>
          <Button
            type="submit"
            color={isRequest ? undefined : "red"}
            disabled={isTooLong}
            aria-disabled={isBusy}
          >
            {reversing.isPending
              ? t("creditsHistory.reverse.busy")
              : t(isRequest ? "creditsHistory.requests.ask" : "creditsHistory.reverse.verb")}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

/** By this clock, which may be wrong: it decides nothing. */
function untilWhen(reversibleUntil: string): string {
  const isOver = Date.parse(reversibleUntil) < Date.now();
  return isOver
    ? t("creditsHistory.reverse.within")
    : t("creditsHistory.reverse.until", { time: formatTime(reversibleUntil) });
}

function Consequences({ line }: { line: Line }) {
  return (
    <ul className="reverse-consequences">
      {sidesOf(line).map((side) => (
        <li key={side.user.username} data-effect={side.effect}>
          <SideText {...side} />
        </li>
      ))}
      <ExpirationBack of={line} />
    </ul>
  );
}

function SideText({ user, effect, creditType, amount }: Side) {
  const { t } = useTranslation();
  const values = {
    name: `${user.fullName} (${user.username})`,
    count: amount,
    number: formatNumber(amount),
  };
  return t(`creditsHistory.reverse.${effect}.${creditType}`, values);
}

function ExpirationBack({ of: line }: { of: Line }) {
  const { t } = useTranslation();
  const name = line.targetUser.fullName;
  // An import moves no expiration; its reversal does.
  if (line.imported && line.creditType === "NORMAL")
    return <li>{t("creditsHistory.reverse.expirationMoves", { name })}</li>;
  if (line.expirationAfter === line.expirationBefore) return null;
  return (
    <li>
      {line.expirationBefore
        ? t("creditsHistory.reverse.expirationBack", { name, date: formatServiceDay(line.expirationBefore) })
        : t("creditsHistory.reverse.expirationNone", { name })}
    </li>
  );
}
