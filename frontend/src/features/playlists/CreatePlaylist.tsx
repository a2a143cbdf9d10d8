// Makes a source, and leads to its page, where its list is read.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
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
  const [draft] = useState(() => new Draft<SourceDraft>(blank(), sourceRule));
  const creating = useCreateSource();
  const once = useIdempotencyKey();

  const save = async () => {
    const body = draft.toPayload();
    const answer = await creating.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    once.forget();
    toast.success(t("playlists.created", { title: answer.title }));
    draft.reset(blank());
    navigate(paths.playlist(answer.id));
  };

  return (
    <>
      <PageHeading title={t("playlists.create")} back={back.link} />
      <EditForm
        draft={draft}
        labels="playlists"
        submitLabel={t("playlists.create")}
        once={once}
        onSave={save}
        onCancel={() => navigate(back.link.to, { state: back.link.state })}
      >
        <PlaylistFields />
      </EditForm>
    </>
  );
}
