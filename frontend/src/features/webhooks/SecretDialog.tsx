// Shows the secret, once: it can be copied now, and never be read again.
import { useTranslation } from "react-i18next";
import { useSecretOnce } from "../../forms/useSecretOnce";
import { Dialog } from "../../ui/Dialog";

export default function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { content, close } = useSecretOnce({ secret, texts: "webhooks.secret", onClose });
  return (
    <Dialog title={t("webhooks.secret.title")} onClose={close} isForm>
      {content}
    </Dialog>
  );
}
