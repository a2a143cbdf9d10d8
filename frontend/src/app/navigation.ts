// The menus as data: what there is, where it leads and who sees it. Shown by the top bar, the side menu and
// the command palette; the router reads the same entries, so that a menu cannot lead nowhere.
import type { Permission } from "../access/permissions";
import { type ContentEntry, contentEntries, type Kind } from "../features/catalogue/kinds";
import { paths } from "./paths";

export type EntryKey =
  | Kind
  | "users"
  | "visitHistory"
  | "issues"
  | "creditsHistory"
  | "settings"
  | "keys"
  | "webhooks"
  | "backups"
  | "changePassword"
  | "sessions";

export interface Entry {
  key: EntryKey;
  path: string;
  /** Seen by whoever holds one of these; without them, by everybody. */
  anyOf?: readonly Permission[];
  /** Seen by admins alone. */
  adminOnly?: boolean;
  content?: ContentEntry;
}

export interface Menu {
  key: "administration" | "contents" | "configuration";
  entries: readonly Entry[];
}

function content(kind: Kind): Entry {
  const entry = contentEntries[kind];
  return { key: kind, path: paths.contents(kind), anyOf: entry.openTo, content: entry };
}

export const menus: readonly Menu[] = [
  {
    key: "administration",
    entries: [
      { key: "users", path: paths.users, anyOf: ["USER_READ"] },
      { key: "visitHistory", path: paths.visitHistory, anyOf: ["VIEW_HISTORY_READ"] },
      { key: "issues", path: paths.issues, anyOf: ["ISSUES_READ"] },
      { key: "creditsHistory", path: paths.creditsHistory, anyOf: ["CREDIT_HISTORY_READ"] },
    ],
  },
  {
    key: "contents",
    entries: [
      content("categories"),
      content("tv-channels"),
      content("radio-stations"),
      content("tv-guides"),
      content("documentaries"),
      content("movies"),
      content("concerts"),
      content("tv-shows"),
      content("sports"),
    ],
  },
  {
    key: "configuration",
    entries: [
      { key: "settings", path: paths.settings, anyOf: ["APP_SETTINGS_READ", "APP_SETTINGS_UPDATE"] },
      { key: "keys", path: paths.keys, adminOnly: true },
      { key: "webhooks", path: paths.webhooks, adminOnly: true },
      { key: "backups", path: paths.backups, adminOnly: true },
    ],
  },
];

export const changePassword: Entry = { key: "changePassword", path: paths.changePassword };

export const ownSessions: Entry = { key: "sessions", path: paths.sessions };

/** What is about oneself: entries of the user menu. */
export const ownEntries: readonly Entry[] = [ownSessions, changePassword];

export const everyEntry: readonly Entry[] = [...menus.flatMap((menu) => menu.entries), ...ownEntries];
