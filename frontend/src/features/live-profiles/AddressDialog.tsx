// The new address of a profile that had one.
import { useTranslation } from "react-i18next";
import { useSecretOnce } from "../../forms/useSecretOnce";
import { Dialog } from "../../ui/Dialog";

export default function AddressDialog({ address, onClose }: { address: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { content, close } = useSecretOnce({ secret: address, texts: "liveProfiles.address", onClose });
  return (
    <Dialog title={t("liveProfiles.address.title")} onClose={close} isForm size="lg">
      {content}
    </Dialog>
  );
}
