// One source: how its last run went, what was found, and what becomes of it.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { useRecentItem } from "../../access/recent";
import { unlessMissing } from "../../api/problem";
import { paths } from "../../routing/paths";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { Changes } from "./Changes";
import { NotHere } from "./NotHere";
import { playlistQueries } from "./queries";
import { Unread } from "./Unread";
import "./playlists.css";

export default function PlaylistPage() {
  const id = Number(useParams().id);
  const source = useQuery(playlistQueries.one(id));
  const runs = useQuery(playlistQueries.runs(id));
  const found = unlessMissing(source);
  useRecentItem(found && { of: "playlists", name: found.title, path: paths.playlist(id) });
  const error = source.error ?? runs.error;
  if (error && (!found || !runs.data)) {
    const retry = () => {
      void source.refetch();
      void runs.refetch();
    };
    return <NotHere error={error} onRetry={retry} />;
  }
  if (!found || !runs.data) return <PageSkeleton />;
  const { content } = runs.data;
  const finished = content.find(({ state }) => state === "FINISHED");
  return finished ? (
    <Changes key={id} source={found} runs={content} finished={finished} />
  ) : (
    <Unread key={id} source={found} runs={content} />
  );
}
