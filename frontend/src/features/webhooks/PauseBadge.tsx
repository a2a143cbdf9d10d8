// The state of a webhook: active, inactive, or paused with the reason and the date; and the alert that says what to do.
import { Alert, Badge, Button } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useTranslation } from "react-i18next";
import { formatMoment } from "../../i18n/formats";
import { AlertIcon } from "../../ui/icons";
import { StatusBadge } from "../../ui/StatusBadge";
import { lastOutcomeOf } from "./DeliveryBadge";
import { useResume, type Webhook } from "./hooks";
import { WaitIcon } from "./icons";

type Pause = NonNullable<Webhook["pause"]>;

function reasonOf({ fault, statusCode }: Pause): string {
  return lastOutcomeOf({ fault, statusCode } as Parameters<typeof lastOutcomeOf>[0]);
}

export function WebhookState({ of: { active, pause } }: { of: Pick<Webhook, "active" | "pause"> }) {
  const { t } = useTranslation();
  if (!active || !pause) return <StatusBadge active={active} />;
  return (
    <span className="webhook-paused" title={reasonOf(pause)}>
      <Badge variant="light" color="yellow" className="status-waiting" leftSection={<WaitIcon size={12} />}>
        {t("webhooks.pause.state")}
      </Badge>
    </span>
  );
}

export function PauseAlert({ of: webhook }: { of: Webhook }) {
  const { t } = useTranslation();
  const resume = useResume();
  const { pause } = webhook;
  if (!pause) return null;
  return (
    <Alert
      color="yellow"
      icon={<AlertIcon />}
      className="webhook-pause"
      title={t("webhooks.pause.title", { when: formatMoment(pause.pausedDate) })}
    >
      <p>
        {t("webhooks.pause.reason", {
          count: pause.failures,
          since: formatMoment(pause.failingSince),
          reason: reasonOf(pause),
        })}
      </p>
      <Button size="xs" variant="default" loading={resume.isPending} onClick={() => resume.mutate(webhook)}>
        {t("webhooks.pause.resume")}
      </Button>
    </Alert>
  );
}
