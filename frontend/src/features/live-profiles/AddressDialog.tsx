// The new address of a profile that had one.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/Dialog";
import { Address } from "./Address";
import { closeAddress } from "./closeAddress";

export default function AddressDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [wasCopied, setWasCopied] = useState(false);
  const close = () => closeAddress(wasCopied, onClose);
  return (
    <Dialog title={t("liveProfiles.address.title")} onClose={close} isForm size="lg">
      <Address secret={secret} wasCopied={wasCopied} onCopied={() => setWasCopied(true)} onClose={close} />
    </Dialog>
  );
}
