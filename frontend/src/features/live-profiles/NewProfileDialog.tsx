// Creates a profile and shows its address once, in the same dialog.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { rules } from "../../api/rules.gen";
import { Draft, type PartialDraft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { secretQuestion } from "../../forms/secretQuestion";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useSecretOnce } from "../../forms/useSecretOnce";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
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
  const [address, setAddress] = useState<string>();
  const [draft] = useState(() => new Draft<ProfileDraft>(blank, rules.LiveProfileDraft));
  const creating = useCreateProfile();
  const { proposal, abandon } = useDialogDraft(draft, { of: "live-profiles new", labels: "liveProfiles" });
  const made = useSecretOnce({ secret: address, texts: "liveProfiles.address", onClose });
  const close = () => {
    // The answer has the address, which is shown once.
    if (creating.isPending) return;
    if (address === undefined)
      return void askAndClose(draft.isChanged(), () => {
        abandon();
        onClose();
      });
    made.close();
  };
  return (
    <Dialog
      title={address ? t("liveProfiles.address.title") : t("liveProfiles.create")}
      onClose={close}
      isForm
      size="lg"
    >
      {made.content || (
        <ProfileForm
          draft={draft}
          submitLabel={creating.isPending ? t("liveProfiles.creating") : t("liveProfiles.submitCreate")}
          failureTitle={t("liveProfiles.notCreated")}
          unknown={{
            title: t("liveProfiles.unknown.title"),
            message: t("liveProfiles.unknown.message"),
          }}
          isPending={creating.isPending}
          onSubmit={async () => {
            const created = await creating.mutateAsync(draft.toPayload());
            draft.reset(blank);
            setAddress(created.address);
          }}
          onCancel={close}
          proposal={proposal}
          onLeave={abandon}
        />
      )}
      {creating.isPending && <LeaveGuard question={secretQuestion("liveProfiles.address")} />}
    </Dialog>
  );
}
