// Shows the secret, once: it can be copied now, and never be read again.
import { Alert, Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/Dialog";
import { AlertIcon } from "../../ui/icons";
import { SecretField } from "../../ui/SecretField";

export default function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog title={t("webhooks.secret.title")} onClose={onClose} isForm>
      <Alert color="yellow" icon={<AlertIcon />} mb="md">
        {t("webhooks.secret.once")}
      </Alert>
      <SecretField
        label={t("webhooks.secret.label")}
        help={t("webhooks.secret.help")}
        value={secret}
        copyLabel={t("webhooks.secret.copy")}
        copiedLabel={t("webhooks.secret.copied")}
      />
      <Group mt="lg" justify="flex-end">
        <Button onClick={onClose}>{t("webhooks.secret.done")}</Button>
      </Group>
    </Dialog>
  );
}
