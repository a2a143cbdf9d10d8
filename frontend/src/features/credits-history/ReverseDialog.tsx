// Asks before an operation is taken back: what goes back to whom, and, if one likes, why. However often it is sent
// from here, it is done once.
import { Alert, Button, Group, Skeleton, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { formatDay, formatMoment, formatNumber } from "../../i18n/formats";
import { Dialog } from "../../ui/Dialog";
import { AlertIcon } from "../../ui/icons";
import { newId } from "../../ui/newId";
import { toast } from "../../ui/toast";
import { type Movement, movementQueries, useReverse } from "./queries";
import { counterpartOf, isOnesOwn, payersSide, type Side, sideOf } from "./sides";

const longestReason = 500;

interface ReverseDialogProps {
  movement: Movement;
  /** The movements beside it, among which its other side may be. */
  among: readonly Movement[];
  onClose: () => void;
}

export default function ReverseDialog({ movement, among, onClose }: ReverseDialogProps) {
  const { t } = useTranslation();
  const [idempotencyKey] = useState(newId);
  const [reason, setReason] = useState("");
  const reversing = useReverse();
  const length = [...reason].length;
  const counter = t("creditsHistory.reverse.counter", { length, max: longestReason });
  const isTooLong = length > longestReason;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reversing.isPending || isTooLong) return;
    reversing.mutate(
      { movement, reason, idempotencyKey },
      {
        onSuccess: () => {
          toast.success(t("creditsHistory.reverse.done", { name: movement.targetUser.fullName }));
          onClose();
        },
      },
    );
  };

  return (
    <Dialog title={t("creditsHistory.reverse.title")} onClose={onClose} isForm>
      <form onSubmit={submit} noValidate>
        <p className="reverse-what">
          {t("creditsHistory.reverse.what", { date: formatMoment(movement.operationDate) })}
        </p>
        <Consequences movement={movement} among={among} />
        <Textarea
          label={t("creditsHistory.reverse.reason")}
          description={isTooLong ? undefined : counter}
          error={isTooLong && counter}
          inputWrapperOrder={["label", "input", "description", "error"]}
          autosize
          minRows={2}
          maxRows={6}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div aria-live="assertive">
          {reversing.isError && (
            <Alert color="red" icon={<AlertIcon />} title={t("creditsHistory.reverse.failed")} mt="md">
              {messageOf(reversing.error)}
            </Alert>
          )}
        </div>
        <Group mt="lg" gap="sm" justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button type="submit" color="red" disabled={isTooLong} aria-disabled={reversing.isPending}>
            {reversing.isPending ? t("creditsHistory.reverse.busy") : t("creditsHistory.reverse.verb")}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

function Consequences({ movement, among }: Pick<ReverseDialogProps, "movement" | "among">) {
  const { t } = useTranslation();
  const shown = counterpartOf(movement, among);
  // Where the other side is not on the page: whoever did this for somebody else paid for it if they are an agent.
  const asksForRole = !shown && !isOnesOwn(movement);
  const role = useQuery({
    ...movementQueries.roleOf(movement.performedByUser.username),
    enabled: asksForRole,
  });
  if (asksForRole && role.isPending)
    return <Skeleton h={72} mb="md" role="status" aria-label={t("common.loading")} />;
  const sides = [sideOf(movement)];
  if (shown) sides.push(sideOf(shown));
  else if (role.data === "agent") sides.push(payersSide(movement));
  const isOtherUnknown = !shown && (isOnesOwn(movement) || role.isError);
  return (
    <ul className="reverse-consequences">
      {sides.map((side) => (
        <li key={side.person.username} data-effect={side.effect}>
          <SideText {...side} />
        </li>
      ))}
      {isOtherUnknown && <li>{t("creditsHistory.reverse.otherSide")}</li>}
      <ExpirationBack of={[movement, shown].find((one) => one?.creditType === "NORMAL")} />
    </ul>
  );
}

function SideText({ person, effect, creditType, amount }: Side) {
  const { t } = useTranslation();
  const values = {
    name: `${person.fullName} (${person.username})`,
    count: amount,
    number: formatNumber(amount),
  };
  return t(`creditsHistory.reverse.${effect}.${creditType}`, values);
}

function ExpirationBack({ of: movement }: { of: Movement | undefined }) {
  const { t } = useTranslation();
  if (!movement || movement.expirationAfter === movement.expirationBefore) return null;
  const name = movement.targetUser.fullName;
  return (
    <li>
      {movement.expirationBefore
        ? t("creditsHistory.reverse.expirationBack", { name, date: formatDay(movement.expirationBefore) })
        : t("creditsHistory.reverse.expirationNone", { name })}
    </li>
  );
}
