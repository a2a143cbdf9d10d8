// The list of playlist sources: where each comes from, when it is read, and how its last run went.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { paths } from "../../routing/paths";
import { DeleteIcon, EditIcon } from "../../ui/icons";
import { type Action, ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { sourceColumns } from "./columns";
import { playlistQueries, type Source } from "./queries";
import { useRemove } from "./useRemove";
import "./playlists.css";

const defaults = { name: "playlist-sources", size: 10 };

export default function PlaylistsPage() {
  const { t } = useTranslation();
  const may = useMay();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(playlistQueries.list(state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => playlistQueries.list(next));
  const columns = useInLanguage(sourceColumns);
  return (
    <ListScreen<Source>
      name={defaults.name}
      title={t("pages.playlists")}
      searchLabel={t("playlists.search")}
      columns={columns}
      state={state}
      change={change}
      answer={answerOf(list)}
      aside={
        <ListExport
          list={defaults.name}
          file="spreadsheets/playlist-sources"
          query={listQuery(state)}
          total={list.data?.totalElements}
          columns={columns}
        />
      }
      header={<p className="playlists-about">{t("playlists.about")}</p>}
      create={may("PLAYLIST_CREATE") ? { to: paths.newPlaylist, label: t("playlists.create") } : undefined}
      identity={({ id, title, url }, leave) => (
        <span className="row-title playlist-name">
          <Link to={paths.playlist(id)} data-row={id} onClick={leave}>
            {title}
          </Link>
          <span className="quiet">{url ?? t("playlists.uploaded")}</span>
        </span>
      )}
      actions={(row, leave) => <Actions of={row} onLeave={leave} />}
      onIntent={prefetchNext}
    />
  );
}

function Actions({ of: source, onLeave }: { of: Source; onLeave: () => void }) {
  const { t } = useTranslation();
  const may = useMay();
  const remove = useRemove();
  const { id, title } = source;
  const actions: Action[] = [];
  if (may("PLAYLIST_UPDATE"))
    actions.push({
      label: t("playlists.edit", { title }),
      verb: t("common.edit"),
      Icon: EditIcon,
      to: paths.editPlaylist(id),
      onClick: onLeave,
    });
  if (may("PLAYLIST_DELETE"))
    actions.push({
      label: t("playlists.delete", { title }),
      verb: t("common.delete"),
      Icon: DeleteIcon,
      onClick: () => void remove(source),
    });
  return <ActionButtons name={title} actions={actions} />;
}
