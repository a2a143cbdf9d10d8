// Tests a webhook and says what came of it.
import { useTranslation } from "react-i18next";
import { toast } from "../../ui/toast";
import { outcomeOf } from "./DeliveryBadge";
import { useTestWebhook, type Webhook } from "./hooks";

export function useTest() {
  const { t } = useTranslation();
  const test = useTestWebhook();
  const run = (webhook: Pick<Webhook, "id" | "name">) => {
    // One at a time: a second press would ask for another.
    if (test.isPending) return;
    const { name } = webhook;
    test.mutate(webhook, {
      onSuccess: (delivery) => {
        if (!delivery) toast.failure(t("webhooks.test.late", { name }), t("webhooks.test.lateReason"));
        else if (delivery.status === "DELIVERED")
          toast.success(outcomeOf(delivery), t("webhooks.test.arrived", { name }));
        else toast.failure(t("webhooks.test.failed", { name }), outcomeOf(delivery));
      },
    });
  };
  return { run, isPending: test.isPending };
}
