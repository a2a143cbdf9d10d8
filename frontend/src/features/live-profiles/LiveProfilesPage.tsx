// Live profiles: are created, edited and revoked; the address of one is shown once and can be replaced.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { failureOf } from "../../api/unknownOutcome";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { secretQuestion } from "../../forms/secretQuestion";
import { lazyPart } from "../../loading/lazyPart";
import { confirm } from "../../ui/confirm";
import { CloseIcon, DeleteIcon, EditIcon, KeyIcon } from "../../ui/icons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";
import { audienceOf, columns as columnsOf } from "./columns";
import { type Profile, profileQueries, useDeleteProfile, useRevokeProfile, useRotateSecret } from "./queries";
import "./live-profiles.css";

const NewProfileDialog = lazyPart(() => import("./NewProfileDialog"), { isDialog: true });
const EditProfileDialog = lazyPart(() => import("./EditProfileDialog"), { isDialog: true });
const AddressDialog = lazyPart(() => import("./AddressDialog"), { isDialog: true });
const defaults = { name: "live-profiles", size: 10 };

export default function LiveProfilesPage() {
  const { t } = useTranslation();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(profileQueries.list(state));
  const [isMaking, setMaking] = useState(false);
  const [edited, setEdited] = useState<Profile>();
  const [address, setAddress] = useState<string>();
  const columns = useInLanguage(columnsOf);
  const { actionsOf, isRotating } = useActions({
    onEdit: setEdited,
    onAddress: setAddress,
    isAddressShown: address !== undefined,
  });
  return (
    <>
      <ListScreen<Profile>
        name={defaults.name}
        title={t("pages.liveProfiles")}
        searchLabel={t("liveProfiles.search")}
        columns={columns}
        state={state}
        change={change}
        answer={answerOf(list)}
        aside={
          <ListExport
            list={defaults.name}
            file="spreadsheets/live-profiles"
            query={listQuery(state)}
            total={list.data?.totalElements}
            columns={columns}
          />
        }
        create={{ label: t("liveProfiles.create"), onClick: () => setMaking(true) }}
        identity={(profile) => (
          <button
            type="button"
            className="profile-name"
            data-row={profile.id}
            onClick={() => setEdited(profile)}
          >
            {profile.name}
          </button>
        )}
        actions={(profile) => <ActionButtons name={profile.name} actions={actionsOf(profile)} />}
      />
      <Suspense fallback={null}>
        {isMaking && <NewProfileDialog onClose={() => setMaking(false)} />}
        {edited && <EditProfileDialog of={edited.id} onClose={() => setEdited(undefined)} />}
        {address && <AddressDialog address={address} onClose={() => setAddress(undefined)} />}
      </Suspense>
      {isRotating && <LeaveGuard question={secretQuestion("liveProfiles.address")} />}
    </>
  );
}

interface Opened {
  onEdit: (profile: Profile) => void;
  onAddress: (address: string) => void;
  isAddressShown: boolean;
}

/** What can be done with one profile; what revokes an address is confirmed first. */
function useActions({ onEdit, onAddress, isAddressShown }: Opened) {
  const { t } = useTranslation();
  const rotating = useRotateSecret();
  const revoking = useRevokeProfile();
  const deleting = useDeleteProfile();
  // One at a time: a second call of `mutate` replaces the callbacks of the first, whose address would never be shown,
  // and a second address would replace the one that is shown.
  const isBusy = rotating.isPending || isAddressShown;
  // The confirmation is answered after later renders.
  const latestBusy = useRef(isBusy);
  latestBusy.current = isBusy;

  const rotate = async (profile: Profile) => {
    if (latestBusy.current) return;
    const isActive = profile.state === "ACTIVE";
    const goesAhead =
      !isActive ||
      (await confirm({
        title: t("liveProfiles.rotate.title"),
        consequence: t("liveProfiles.rotate.consequence", { name: profile.name }),
        verb: t("liveProfiles.rotate.verb"),
      }));
    if (!goesAhead || latestBusy.current) return;
    latestBusy.current = true;
    rotating.mutate(profile, {
      onSuccess: (made) => onAddress(made.address),
      onError: (error) => {
        const { title, message } = failureOf(error, t("liveProfiles.rotate.failed"), {
          title: t("liveProfiles.rotate.unknown.title"),
          message: t("liveProfiles.rotate.unknown.message"),
        });
        toast.failure(title, message);
      },
    });
  };

  const revoke = async (profile: Profile) => {
    const { name } = profile;
    const goesAhead = await confirm({
      title: t("liveProfiles.revoke.title"),
      consequence: t("liveProfiles.revoke.consequence", { name, audience: audienceOf(profile) }),
      verb: t("liveProfiles.revoke.verb"),
    });
    if (!goesAhead) return;
    // Callbacks of `mutate` are dropped when another profile is revoked meanwhile; its promise settles for each.
    revoking.mutateAsync(profile).then(
      () => toast.success(t("liveProfiles.revoke.done", { name })),
      (error) => toast.failure(t("liveProfiles.revoke.failed"), messageOf(error)),
    );
  };

  const remove = async (profile: Profile) => {
    const { name } = profile;
    const goesAhead = await confirm({
      title: t("liveProfiles.delete.title"),
      consequence: t("liveProfiles.delete.consequence", { name }),
      verb: t("common.delete"),
    });
    if (!goesAhead) return;
    deleting.mutateAsync(profile).then(
      () => toast.success(t("liveProfiles.delete.done", { name })),
      (error) => toast.failure(t("liveProfiles.delete.failed"), messageOf(error)),
    );
  };

  const actionsOf = (profile: Profile) => {
    const { name } = profile;
    return [
      {
        label: t("liveProfiles.edit.of", { name }),
        verb: t("common.edit"),
        Icon: EditIcon,
        onClick: () => onEdit(profile),
      },
      {
        label: t("liveProfiles.rotate.of", { name }),
        verb: t("liveProfiles.rotate.verb"),
        Icon: KeyIcon,
        isBusy,
        onClick: () => void rotate(profile),
      },
      ...(profile.state === "REVOKED"
        ? []
        : [
            {
              label: t("liveProfiles.revoke.of", { name }),
              verb: t("liveProfiles.revoke.verb"),
              Icon: CloseIcon,
              onClick: () => void revoke(profile),
            },
          ]),
      {
        label: t("liveProfiles.delete.of", { name }),
        verb: t("common.delete"),
        Icon: DeleteIcon,
        onClick: () => void remove(profile),
      },
    ];
  };
  return { actionsOf, isRotating: rotating.isPending };
}
