// The menus as data: what there is, where it leads and who sees it. Shown by the top bar, the side menu and
// the command palette; the router reads the same entries, so that a menu cannot lead nowhere.

import { type ContentEntry, contentEntries, type Kind, kinds } from "../access/kinds";
import type { Permission } from "../access/permissions";
import { paths } from "../routing/paths";

export type EntryKey =
  | Kind
  | "users"
  | "renewals"
  | "visitHistory"
  | "issues"
  | "schedule"
  | "guideHealth"
  | "links"
  | "epgReview"
  | "playlists"
  | "completeness"
  | "operations"
  | "trash"
  | "audit"
  | "creditsHistory"
  | "statements"
  | "settings"
  | "keys"
  | "liveProfiles"
  | "webhooks"
  | "backups"
  | "changePassword"
  | "sessions";

export interface Entry {
  key: EntryKey;
  path: string;
  /** The name of its list, of which a saved view may be the default. */
  list?: string;
  /** Visible with one of these permissions; without a list, to all users. */
  anyOf?: readonly Permission[];
  /** Seen by admins alone. */
  adminOnly?: boolean;
  content?: ContentEntry;
}

export interface Menu {
  key: "administration" | "contents" | "configuration";
  entries: readonly Entry[];
}

/** The order of the menu; a kind that is not named here follows at the end. */
const inMenu: readonly Kind[] = [
  "categories",
  "tv-channels",
  "radio-stations",
  "tv-guides",
  "documentaries",
  "movies",
  "concerts",
  "tv-shows",
  "sports",
];

function content(kind: Kind): Entry {
  const entry = contentEntries[kind];
  return { key: kind, path: paths.contents(kind), list: kind, anyOf: entry.openTo, content: entry };
}

/** The permission to change items of a kind. */
function updateOf(kind: Kind): Permission {
  return `${contentEntries[kind].entity}_UPDATE`;
}

/** The permission to delete items of a kind, and to restore them. */
function deleteOf(kind: Kind): Permission {
  return `${contentEntries[kind].entity}_DELETE`;
}

/** Beside channels and guides: what is on. */
const schedule: Entry = { key: "schedule", path: paths.schedule, anyOf: ["TVCHANNEL_READ"] };

/** Beside channels and guides: when guides were read. */
const guideHealth: Entry = { key: "guideHealth", path: paths.guideHealth, anyOf: ["TVGUIDE_READ"] };

/** Beside channels and guides: which links play. */
const links: Entry = { key: "links", path: paths.links, list: "links", anyOf: ["TVCHANNEL_READ"] };
/** Beside channels and guides: which channel of a guide a channel is. */
const epgReview: Entry = { key: "epgReview", path: paths.epgReview, anyOf: ["TVCHANNEL_READ"] };

/** Beside channels and guides: where channels come from. */
const playlists: Entry = {
  key: "playlists",
  path: paths.playlists,
  list: "playlist-sources",
  anyOf: ["PLAYLIST_READ"],
};

export const menus: readonly Menu[] = [
  {
    key: "administration",
    entries: [
      { key: "users", path: paths.users, list: "users", anyOf: ["USER_READ"] },
      { key: "renewals", path: paths.renewals, list: "renewals", anyOf: ["USER_UPDATE"] },
      { key: "visitHistory", path: paths.visitHistory, list: "visits", anyOf: ["VIEW_HISTORY_READ"] },
      { key: "issues", path: paths.issues, list: "issues", anyOf: ["ISSUES_READ"] },
      {
        key: "creditsHistory",
        path: paths.creditsHistory,
        list: "credits-history",
        anyOf: ["CREDIT_HISTORY_READ"],
      },
      { key: "statements", path: paths.statements, anyOf: ["CREDIT_HISTORY_READ"] },
      { key: "audit", path: paths.audit, list: "audit", adminOnly: true },
    ],
  },
  {
    key: "contents",
    entries: [
      ...[...inMenu, ...kinds.filter((kind) => !inMenu.includes(kind))].flatMap((kind) =>
        kind === "tv-guides"
          ? [content(kind), schedule, guideHealth, epgReview, links, playlists]
          : [content(kind)],
      ),
      { key: "completeness", path: paths.completeness, anyOf: kinds.map(updateOf) },
      { key: "operations", path: paths.operations, list: "operations", anyOf: kinds.map(updateOf) },
      { key: "trash", path: paths.trash, list: "trash", anyOf: kinds.map(deleteOf) },
    ],
  },
  {
    key: "configuration",
    entries: [
      { key: "settings", path: paths.settings, anyOf: ["APP_SETTINGS_READ", "APP_SETTINGS_UPDATE"] },
      { key: "keys", path: paths.keys, list: "integrator-keys", adminOnly: true },
      {
        key: "liveProfiles",
        path: paths.liveProfiles,
        list: "live-profiles",
        anyOf: ["LIVE_PROFILE_READ"],
      },
      { key: "webhooks", path: paths.webhooks, list: "webhooks", adminOnly: true },
      { key: "backups", path: paths.backups, adminOnly: true },
    ],
  },
];

export const changePassword: Entry = { key: "changePassword", path: paths.changePassword };

export const ownSessions: Entry = { key: "sessions", path: paths.sessions };

/** What is about oneself: entries of the user menu. */
export const ownEntries: readonly Entry[] = [ownSessions, changePassword];

export const everyEntry: readonly Entry[] = [...menus.flatMap((menu) => menu.entries), ...ownEntries];
