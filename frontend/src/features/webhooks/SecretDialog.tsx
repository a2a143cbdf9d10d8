// Shows the secret, once: it can be copied now, and never be read again.
import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/Dialog";
import { SecretField } from "../../ui/SecretField";

export default function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog title={t("webhooks.secret.title")} onClose={onClose} isForm>
      <SecretField
        once={t("webhooks.secret.once")}
        label={t("webhooks.secret.label")}
        help={t("webhooks.secret.help")}
        value={secret}
        copyLabel={t("webhooks.secret.copy")}
        copiedLabel={t("webhooks.secret.copied")}
        selectedLabel={t("webhooks.secret.selected")}
      />
      <Group mt="lg" justify="flex-end">
        <Button onClick={onClose}>{t("webhooks.secret.done")}</Button>
      </Group>
    </Dialog>
  );
}
