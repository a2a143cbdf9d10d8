// Where one is on the episodes screen: everything of it is in the address.
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";

type SeriesMode =
  | { is: "episodes" | "seasons" | "new" }
  /** The episode that is edited. */
  | { is: "edit"; id: number };

export function useSeriesAddress() {
  const [address, setAddress] = useSearchParams();
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
    };
  }, [address]);

  /** The address with some of it changed; what is empty is left out. */
  const addressWith = useCallback(
    (change: Record<string, string | number | undefined>) => {
      const next = new URLSearchParams(address);
      for (const [key, value] of Object.entries(change)) {
        if (value === undefined || value === "" || value === 0) next.delete(key);
        else next.set(key, String(value));
      }
      return next;
    },
    [address],
  );
  const change = useCallback(
    (next: Record<string, string | number | undefined>, { replace = false } = {}) =>
      setAddress(addressWith(next), { replace, preventScrollReset: replace }),
    [setAddress, addressWith],
  );
  const linkTo = useCallback(
    (next: Record<string, string | number | undefined>) => ({ search: `?${addressWith(next)}` }),
    [addressWith],
  );
  return { ...read, change, linkTo };
}

/** The address without its part about an open form. */
export const noForm = { new: undefined, episode: undefined };
