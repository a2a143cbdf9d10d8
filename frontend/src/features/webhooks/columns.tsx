// The columns of the list of webhooks, and those of a webhook's log.
import { EventType } from "../../api/enums/EventType.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { DayAndTime } from "../../ui/DayAndTime";
import type { Column } from "../../ui/list/columns";
import { Dash, Moment } from "../../ui/values";
import { DeliveryBadge, lastOutcomeOf, outcomeOf } from "./DeliveryBadge";
import type { Delivery, Webhook } from "./hooks";
import { WebhookState } from "./PauseBadge";

/** The events of a webhook, in words. Tests are sent to each webhook. */
export function eventsOf(events: Webhook["events"]): string {
  if (events.length === Object.keys(EventType).length - 1) return t("webhooks.everyEvent");
  return events.map((event) => labelOf(EventType, event)).join(", ");
}

export function webhookColumns(): Column<Webhook>[] {
  return [
    {
      key: "name",
      label: t("webhooks.fields.name"),
      isIdentity: true,
      sortable: true,
      inFile: ["url"],
      render: () => null,
    },
    {
      key: "events",
      label: t("webhooks.fields.events"),
      onCard: true,
      needsRoom: true,
      render: ({ events }) => <span className="webhook-events">{eventsOf(events)}</span>,
    },
    {
      key: "active",
      label: t("status.label"),
      width: "8rem",
      onCard: true,
      inFile: ["pausedDate"],
      render: (webhook) => <WebhookState of={webhook} />,
    },
    {
      key: "lastDelivery",
      label: t("webhooks.lastDelivery"),
      width: "17rem",
      onCard: true,
      inFile: ["lastDeliveryDate", "statusCode", "fault"],
      render: ({ lastDelivery: last }) =>
        last ? (
          <span className="webhook-last" title={lastOutcomeOf(last)}>
            <DeliveryBadge of={last} /> <DayAndTime of={last.at} />
          </span>
        ) : (
          <span className="quiet">{t("webhooks.never")}</span>
        ),
    },
    {
      key: "pending",
      label: t("webhooks.pending"),
      align: "right",
      width: "8rem",
      onCard: true,
      needsRoom: true,
      render: ({ pending }) => (pending === 0 ? <Dash /> : formatNumber(pending)),
    },
    {
      key: "createdDate",
      label: t("webhooks.createdDate"),
      sortable: true,
      isOptional: true,
      render: ({ createdDate }) => <Moment of={createdDate} />,
    },
  ];
}

export function logColumns(): Column<Delivery>[] {
  return [
    { key: "eventType", label: t("webhooks.log.event"), isIdentity: true, render: () => null },
    {
      key: "occurredAt",
      label: t("webhooks.log.occurredAt"),
      width: "7.5rem",
      sortable: true,
      onCard: true,
      render: ({ occurredAt }) => <DayAndTime of={occurredAt} />,
    },
    {
      key: "status",
      label: t("status.label"),
      width: "8.5rem",
      onCard: true,
      render: (delivery) => <DeliveryBadge of={delivery} />,
    },
    {
      key: "outcome",
      label: t("webhooks.log.outcome"),
      width: "clamp(8rem, 22vw, 24rem)",
      onCard: true,
      render: (delivery) => <span className="webhook-outcome">{outcomeOf(delivery) || <Dash />}</span>,
    },
    {
      key: "attempts",
      label: t("webhooks.log.attempts"),
      align: "right",
      width: "6.5rem",
      onCard: true,
      needsRoom: true,
      render: ({ attempts }) => formatNumber(attempts),
    },
    {
      key: "nextAttemptAt",
      label: t("webhooks.log.nextAttemptAt"),
      width: "9.5rem",
      onCard: true,
      needsRoom: true,
      render: ({ status, nextAttemptAt }) =>
        status === "PENDING" && !nextAttemptAt ? (
          <span className="quiet">{t("webhooks.log.soon")}</span>
        ) : (
          <DayAndTime of={nextAttemptAt} />
        ),
    },
    {
      key: "messageId",
      label: t("webhooks.log.messageId"),
      isOptional: true,
      render: ({ messageId }) => <code>{messageId}</code>,
    },
  ];
}
