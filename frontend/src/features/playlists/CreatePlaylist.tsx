// Creates a source and opens its page, where its list is read.
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import type { PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { useCreatedInARow } from "../../forms/useCreatedInARow";
import { paths } from "../../routing/paths";
import { PageHeading } from "../../ui/PageHeading";
import { toast } from "../../ui/toast";
import { PlaylistFields } from "./PlaylistFields";
import { type SourceDraft, sourceRule, useCreateSource } from "./queries";
import { useBack } from "./useBack";

const blank = (): PartialDraft<SourceDraft> => ({
  automatic: "CHANGES",
  categories: [],
  firstNumber: 1,
  active: true,
});

export default function CreatePlaylist() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const back = useBack();
  const { draft, isCopy, formKey, isNew, another } = useCreatedInARow<SourceDraft>(blank, sourceRule);
  const creating = useCreateSource();
  const once = useIdempotencyKey();

  const save = async (isFollowed = false) => {
    const body = draft.toPayload();
    const answer = await creating.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    once.forget();
    const link = { label: t("common.open"), to: paths.playlist(answer.id) };
    toast.success(t("playlists.created", { title: answer.title }), undefined, isFollowed ? link : undefined);
    draft.reset(blank());
    if (isFollowed) another();
    else navigate(link.to, { replace: isCopy });
  };

  return (
    <>
      <PageHeading title={t("playlists.create")} back={back.link} />
      <EditForm
        key={formKey}
        draft={draft}
        labels="playlists"
        submitLabel={t("playlists.create")}
        once={once}
        onSave={() => save()}
        onSaveAndNext={() => save(true)}
        nextLabel={t("form.saveAndCreate")}
        isNew={isNew}
        onCancel={() => navigate(back.link.to, { state: back.link.state })}
      >
        <PlaylistFields />
      </EditForm>
    </>
  );
}
