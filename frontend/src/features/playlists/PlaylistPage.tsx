// One source: how its last run went, what was found, and what becomes of it.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { isMissing } from "../../api/problem";
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
  const error = source.error ?? runs.error;
  // What was read before is shown beside a failure, but not where the source is gone.
  if (error && (isMissing(error) || !source.data || !runs.data)) {
    const retry = () => {
      void source.refetch();
      void runs.refetch();
    };
    return <NotHere error={error} onRetry={retry} />;
  }
  if (!source.data || !runs.data) return <PageSkeleton />;
  const { content } = runs.data;
  const finished = content.find(({ state }) => state === "FINISHED");
  return finished ? (
    <Changes key={id} source={source.data} runs={content} finished={finished} />
  ) : (
    <Unread key={id} source={source.data} runs={content} />
  );
}
