// What became of a delivery, by word, colour and shape; and why an attempt failed, in a sentence.
import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DeliveryFault } from "../../api/enums/DeliveryFault.gen";
import { DeliveryStatus } from "../../api/enums/DeliveryStatus.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { CheckIcon, CloseIcon } from "../../ui/icons";
import type { Delivery, Webhook } from "./hooks";
import { WaitIcon } from "./icons";

type Outcome = Pick<Delivery, "status" | "fault">;

const looks = {
  DELIVERED: { color: "teal", Icon: CheckIcon, className: "status-on" },
  PENDING: { color: "yellow", Icon: WaitIcon, className: "status-waiting" },
  FAILED: { color: "red", Icon: CloseIcon, className: "status-failed" },
} as const;

export function DeliveryBadge({ of: { status, fault } }: { of: Outcome }) {
  const { t } = useTranslation();
  const { color, Icon, className } = looks[status];
  const isRetried = status === "PENDING" && fault !== null;
  return (
    <Badge variant="light" color={color} className={className} leftSection={<Icon size={12} />}>
      {isRetried ? t("webhooks.retrying") : labelOf(DeliveryStatus, status)}
    </Badge>
  );
}

/** «HTTP 204 · 35 ms», or why it did not arrive. */
export function outcomeOf(delivery: Pick<Delivery, "fault" | "statusCode" | "durationMs">): string {
  const { fault, statusCode, durationMs } = delivery;
  const parts = [
    fault ? labelOf(DeliveryFault, fault) : undefined,
    statusCode === null ? undefined : `HTTP ${statusCode}`,
    durationMs === null || fault ? undefined : `${formatNumber(durationMs)} ms`,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

type Last = NonNullable<Webhook["lastDelivery"]>;

/** The outcome of the last delivery, of which a list has no duration. */
export function lastOutcomeOf({ fault, statusCode }: Last): string {
  return outcomeOf({ fault, statusCode, durationMs: null });
}
