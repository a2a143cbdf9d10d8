// Shows the secret, once: it can be copied now, and never be read again.
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { askAndCloseSecret } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { SecretField } from "../../ui/SecretField";

export default function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [wasCopied, setWasCopied] = useState(false);
  const close = () =>
    void askAndCloseSecret(
      wasCopied,
      {
        title: t("webhooks.secret.leaveTitle"),
        consequence: t("webhooks.secret.leaveConsequence"),
        verb: t("webhooks.secret.leaveVerb"),
        cancel: t("webhooks.secret.leaveCancel"),
      },
      onClose,
    );
  return (
    <Dialog title={t("webhooks.secret.title")} onClose={close} isForm>
      <SecretField
        once={t("webhooks.secret.once")}
        label={t("webhooks.secret.label")}
        help={t("webhooks.secret.help")}
        value={secret}
        copyLabel={t("webhooks.secret.copy")}
        copiedLabel={t("webhooks.secret.copied")}
        selectedLabel={t("webhooks.secret.selected")}
        onCopied={() => setWasCopied(true)}
      />
      <Group mt="lg" justify="flex-end">
        <Button onClick={onClose}>{t("webhooks.secret.done")}</Button>
      </Group>
    </Dialog>
  );
}
