// The address of a profile's playlist, which is shown once: players open it as it is.
import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { SecretField } from "../../ui/SecretField";
import { addressQuestion } from "./closeAddress";

interface AddressProps {
  secret: string;
  wasCopied: boolean;
  onCopied: () => void;
  onClose: () => void;
}

export function Address({ secret, wasCopied, onCopied, onClose }: AddressProps) {
  const { t } = useTranslation();
  return (
    <>
      {!wasCopied && <LeaveGuard question={addressQuestion()} />}
      <SecretField
        once={t("liveProfiles.address.once")}
        label={t("liveProfiles.address.label")}
        help={t("liveProfiles.address.help")}
        value={`${location.origin}/api/live/${secret}/playlist.m3u`}
        copyLabel={t("liveProfiles.address.copy")}
        copiedLabel={t("liveProfiles.address.copied")}
        selectedLabel={t("liveProfiles.address.selected")}
        onCopied={onCopied}
      />
      <Group mt="lg" justify="flex-end">
        <Button onClick={onClose}>{t("liveProfiles.address.done")}</Button>
      </Group>
    </>
  );
}
