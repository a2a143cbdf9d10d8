// Shows the secret, once: it can be copied now, and never be read again.
import { Alert, Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/Dialog";
import { AlertIcon, CheckIcon } from "../../ui/icons";
import { CopyIcon } from "./icons";

export default function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setCopied(true);
    } catch {
      // Without https there is no clipboard: the field is selected, for Ctrl+C.
      document.querySelector<HTMLInputElement>("[data-secret]")?.select();
    }
  };
  return (
    <Dialog title={t("webhooks.secret.title")} onClose={onClose} isForm>
      <Alert color="yellow" icon={<AlertIcon />} mb="md">
        {t("webhooks.secret.once")}
      </Alert>
      <TextInput
        label={t("webhooks.secret.label")}
        description={t("webhooks.secret.help")}
        value={secret}
        readOnly
        data-secret
        data-autofocus
        className="webhook-secret"
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button
          variant="light"
          leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
          onClick={() => void copy()}
        >
          {isCopied ? t("webhooks.secret.copied") : t("webhooks.secret.copy")}
        </Button>
        <Button onClick={onClose}>{t("webhooks.secret.done")}</Button>
      </Group>
      <span className="visually-hidden" aria-live="polite">
        {isCopied ? t("webhooks.secret.copied") : ""}
      </span>
    </Dialog>
  );
}
