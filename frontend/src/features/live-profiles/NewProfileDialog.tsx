// Creates a profile and shows its address once, in the same dialog.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { rules } from "../../api/rules.gen";
import { Draft, type PartialDraft } from "../../forms/draft";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { Address } from "./Address";
import { closeAddress } from "./closeAddress";
import { ProfileForm } from "./ProfileForm";
import { type ProfileDraft, useCreateProfile } from "./queries";

const blank: PartialDraft<ProfileDraft> = {
  username: null,
  keyId: null,
  categories: [],
  adultContent: false,
  onlyPlaying: false,
  order: "NUMBER",
  numbering: "OWN",
  guideDays: 7,
  callsPerMinute: 30,
};

export default function NewProfileDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [secret, setSecret] = useState<string>();
  const [wasCopied, setWasCopied] = useState(false);
  const [draft] = useState(() => new Draft<ProfileDraft>(blank, rules.LiveProfileDraft));
  const creating = useCreateProfile();
  const close = () =>
    secret ? closeAddress(wasCopied, onClose) : void askAndClose(draft.isChanged(), onClose);
  return (
    <Dialog
      title={secret ? t("liveProfiles.address.title") : t("liveProfiles.create")}
      onClose={close}
      isForm
      size="lg"
    >
      {secret ? (
        <Address secret={secret} wasCopied={wasCopied} onCopied={() => setWasCopied(true)} onClose={close} />
      ) : (
        <ProfileForm
          draft={draft}
          submitLabel={creating.isPending ? t("liveProfiles.creating") : t("liveProfiles.submitCreate")}
          failureTitle={t("liveProfiles.notCreated")}
          unknown={{
            title: t("liveProfiles.unknown.title"),
            message: t("liveProfiles.unknown.message"),
          }}
          isPending={creating.isPending}
          onSubmit={async () => setSecret((await creating.mutateAsync(draft.toPayload())).secret)}
          onCancel={close}
        />
      )}
    </Dialog>
  );
}
