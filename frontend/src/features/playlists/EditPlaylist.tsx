// Changes a source.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { useMay } from "../../access/session";
import { useConflict } from "../../forms/ConflictDialog";
import { DuplicateButton } from "../../forms/DuplicateButton";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { useStored } from "../../forms/useStored";
import { paths } from "../../routing/paths";
import { PageHeading } from "../../ui/PageHeading";
import { toast } from "../../ui/toast";
import { NotHere } from "./NotHere";
import { PlaylistFields } from "./PlaylistFields";
import { playlistQueries, type Source, type SourceDraft, sourceRule, useSaveSource } from "./queries";

export default function EditPlaylist() {
  const id = Number(useParams().id);
  const source = useQuery(playlistQueries.one(id));
  const stored = useStored(source, id);
  if (source.isError && !stored)
    return <NotHere error={source.error} onRetry={() => void source.refetch()} />;
  if (!stored) return <FormSkeleton />;
  return <EditLoaded key={id} stored={stored} />;
}

function EditLoaded({ stored }: { stored: Source }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay();
  const [draft] = useState(() => new Draft<SourceDraft>(stored as PartialDraft<SourceDraft>, sourceRule));
  const saving = useSaveSource(stored.id);
  const back = () => navigate(paths.playlist(stored.id));

  const saveOver = async (version: number) => {
    const saved = await saving.mutateAsync({ version, draft: draft.toPayload() });
    toast.success(t("playlists.saved", { title: saved.title }));
    draft.reset(saved as PartialDraft<SourceDraft>);
    back();
  };
  const conflict = useConflict({
    draft,
    stored,
    resource: "playlist-sources",
    labels: "playlists",
    saveOver,
  });
  const { base } = conflict;

  return (
    <>
      <PageHeading
        title={t("playlists.editTitle", { title: base.title })}
        back={{ to: paths.playlist(stored.id), label: base.title }}
        actions={may("PLAYLIST_CREATE") && <DuplicateButton draft={draft} to={paths.newPlaylist} />}
      />
      <EditForm
        draft={draft}
        labels="playlists"
        submitLabel={t("playlists.submitEdit")}
        version={base.version}
        onKeptVersion={conflict.baseOn}
        onSave={() => saveOver(base.version)}
        onCancel={back}
        onFailure={conflict.takeOver}
      >
        <PlaylistFields />
      </EditForm>
      {conflict.dialog}
    </>
  );
}
