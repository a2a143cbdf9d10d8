// Back from the form of an episode, the list focuses the row that it was opened from.
import { useEffect } from "react";
import { session } from "../../../storage";

const leftKey = (showId: number) => `cartelera.left.episodes.${showId}`;

export function rememberEpisode(showId: number, episodeId: number): void {
  session.set(leftKey(showId), String(episodeId));
}

/** Back from a form, the focus is where it was left, once that row is there. */
export function useEpisodeFocus(showId: number) {
  useEffect(() => {
    const left = session.get(leftKey(showId));
    if (!left) return;
    session.remove(leftKey(showId));
    let tries = 0;
    const look = () => {
      const row = document.querySelector<HTMLElement>(`[data-episode="${CSS.escape(left)}"]`);
      if (row) {
        row.focus({ preventScroll: true });
        row.scrollIntoView({ block: "center" });
      } else if (tries++ < 20) timer = setTimeout(look, 50);
    };
    let timer = setTimeout(look);
    return () => clearTimeout(timer);
  }, [showId]);
}
