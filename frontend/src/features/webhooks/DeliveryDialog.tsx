// One delivery: its payload, and the outcome of each attempt.
import { useTranslation } from "react-i18next";
import { EventType } from "../../api/enums/EventType.gen";
import { labelOf } from "../../i18n/enums";
import { formatMoment, formatNumber } from "../../i18n/formats";
import { Dialog } from "../../ui/Dialog";
import { DeliveryBadge, outcomeOf } from "./DeliveryBadge";
import type { Delivery } from "./hooks";

export default function DeliveryDialog({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const { t } = useTranslation();
  const { messageId, eventType, entity, occurredAt, lastAttemptAt, attempts, resendOf, data } = delivery;
  const body = { id: messageId, type: eventType, timestamp: occurredAt, data };
  const facts: [string, string | undefined][] = [
    [t("webhooks.log.entity"), entity],
    [t("webhooks.log.occurredAt"), formatMoment(occurredAt)],
    [t("webhooks.log.attempts"), formatNumber(attempts)],
    [t("webhooks.log.lastAttemptAt"), lastAttemptAt ? formatMoment(lastAttemptAt) : undefined],
    [t("webhooks.log.outcome"), outcomeOf(delivery) || undefined],
    [t("webhooks.log.messageId"), messageId],
    [t("webhooks.log.resendOf"), resendOf ? `msg_${resendOf}` : undefined],
  ];
  return (
    <Dialog title={labelOf(EventType, eventType)} onClose={onClose} size="lg">
      <div className="webhook-status">
        <DeliveryBadge of={delivery} />
      </div>
      <dl className="webhook-details">
        {facts
          .filter(([, value]) => value !== undefined)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <h3 className="webhook-body-title">{t("webhooks.message.body")}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre className="webhook-body" tabIndex={0}>
        {JSON.stringify(body, null, 2)}
      </pre>
    </Dialog>
  );
}
