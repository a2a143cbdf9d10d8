// The items that the user opened last in this browser; deleted at sign-out.
import { useEffect } from "react";
import { local } from "../storage";
import { privateKey } from "./privateStorage";
import { useUser } from "./session";

interface RecentItem {
  /** The key of its list among the titles of pages. */
  of: string;
  name: string;
  path: string;
}

const name = "recent";
const kept = 8;

/** Newest first. */
export function recentItems(username: string): RecentItem[] {
  const items = local.read<unknown>(privateKey(username, name));
  return Array.isArray(items) ? items.filter(isItem) : [];
}

export function rememberItem(username: string, item: RecentItem): void {
  const others = recentItems(username).filter(({ path }) => path !== item.path);
  local.write(privateKey(username, name), [item, ...others].slice(0, kept));
}

function isItem(value: unknown): value is RecentItem {
  const { of, name, path } = (value ?? {}) as Record<string, unknown>;
  return [of, name, path].every((part) => typeof part === "string");
}

/** Stores the item of a page as opened, once it is loaded. */
export function useRecentItem({ of, name, path }: Partial<RecentItem> = {}): void {
  const { username } = useUser();
  useEffect(() => {
    if (of && name && path) rememberItem(username, { of, name, path });
  }, [username, of, name, path]);
}
