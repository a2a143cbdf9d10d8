// Changes a profile. Its address stays what it is.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { useConflict } from "../../forms/ConflictDialog";
import { Draft, type PartialDraft } from "../../forms/draft";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useStored } from "../../forms/useStored";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { toast } from "../../ui/toast";
import { ProfileForm } from "./ProfileForm";
import { type Profile, type ProfileDraft, profileQueries, useSaveProfile } from "./queries";

export default function EditProfileDialog({ of: id, onClose }: { of: number; onClose: () => void }) {
  const { t } = useTranslation();
  const profile = useQuery(profileQueries.one(id));
  const stored = useStored(profile, id);
  if (stored) return <EditLoaded key={id} stored={stored} onClose={onClose} />;
  return (
    <Dialog title={t("liveProfiles.edit.title")} onClose={onClose} isForm size="lg">
      {profile.isError ? (
        <ErrorView
          title={t("list.failed")}
          message={messageOf(profile.error)}
          onRetry={() => void profile.refetch()}
        />
      ) : (
        <Skeleton h={420} role="status" aria-label={t("common.loading")} />
      )}
    </Dialog>
  );
}

function EditLoaded({ stored, onClose }: { stored: Profile; onClose: () => void }) {
  const { t } = useTranslation();
  const [draft] = useState(
    () => new Draft<ProfileDraft>(stored as PartialDraft<ProfileDraft>, rules.LiveProfileDraft),
  );
  const saving = useSaveProfile(stored.id);
  const saveOver = async (version: number) => {
    const saved = await saving.mutateAsync({ draft: draft.toPayload(), version });
    toast.success(t("liveProfiles.edit.done", { name: saved.name }));
    draft.reset(saved as PartialDraft<ProfileDraft>);
    onClose();
  };
  const {
    base: opened,
    baseOn,
    takeOver,
    dialog,
  } = useConflict({ draft, stored, resource: "live-profiles", labels: "liveProfiles", saveOver });
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `live-profiles ${stored.id}`,
    labels: "liveProfiles",
    version: opened.version,
    onKeptVersion: baseOn,
  });
  const close = () =>
    void askAndClose(draft.isChanged(), () => {
      abandon();
      onClose();
    });
  const save = async () => {
    try {
      await saveOver(opened.version);
    } catch (error) {
      if (!(await takeOver(error))) throw error;
    }
  };
  return (
    <Dialog title={t("liveProfiles.edit.of", { name: opened.name })} onClose={close} isForm size="lg">
      <ProfileForm
        draft={draft}
        keyName={opened.keyName}
        submitLabel={saving.isPending ? t("liveProfiles.edit.saving") : t("liveProfiles.edit.submit")}
        failureTitle={t("liveProfiles.edit.failed")}
        isPending={saving.isPending}
        onSubmit={save}
        onCancel={close}
        proposal={proposal}
        onLeave={abandon}
      />
      {dialog}
    </Dialog>
  );
}
