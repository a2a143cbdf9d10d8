// Where one is on the episodes screen: everything of it is in the address.
import { useCallback, useMemo } from "react";
import { useAddress } from "../../../routing/useAddress";

type SeriesMode =
  | { is: "episodes" | "seasons" | "new" }
  /** The episode that is edited. */
  | { is: "edit"; id: number };

export function useSeriesAddress() {
  const [address, setAddress] = useAddress();
  const read = useMemo(() => {
    const season = address.get("season") ?? "";
    const episode = address.get("episode");
    const mode: SeriesMode = address.has("new")
      ? { is: "new" }
      : episode !== null
        ? { is: "edit", id: /^\d{1,15}$/.test(episode) ? Number(episode) : 0 }
        : { is: address.get("tab") === "seasons" ? "seasons" : "episodes" };
    return {
      mode,
      season: /^\d{1,9}$/.test(season) ? Number(season) : 0,
      search: address.get("search") ?? "",
      /** The season whose form is open. */
      edited: Number(/^\d{1,15}$/.exec(address.get("edit") ?? "")?.[0] ?? 0),
    };
  }, [address]);

  const change = useCallback(
    (next: Change, { replace = false } = {}) =>
      setAddress((before) => changed(before, next), { replace, preventScrollReset: replace }),
    [setAddress],
  );
  const linkTo = useCallback((next: Change) => ({ search: `?${changed(address, next)}` }), [address]);
  return { ...read, change, linkTo };
}

type Change = Record<string, string | number | undefined>;

/** The address with some of it changed; what is empty is left out. */
function changed(address: URLSearchParams, change: Change) {
  const next = new URLSearchParams(address);
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined || value === "" || value === 0) next.delete(key);
    else next.set(key, String(value));
  }
  return next;
}

/** The address without its part about an open form. */
export const noForm = { new: undefined, episode: undefined };
