// Asks first, then removes a webhook.
import { useTranslation } from "react-i18next";
import { confirm } from "../../ui/confirm";
import { useDeleteWebhook, type Webhook } from "./hooks";

export function useRemove() {
  const { t } = useTranslation();
  const remove = useDeleteWebhook();
  return async (webhook: Webhook, onDone?: () => void) => {
    const { name, url } = webhook;
    const goesAhead = await confirm({
      title: t("webhooks.deleteTitle"),
      consequence: t("webhooks.willDelete", { name, url }),
      verb: t("common.delete"),
    });
    if (goesAhead) remove.mutate(webhook, { onSuccess: onDone });
  };
}
