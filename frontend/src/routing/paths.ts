// Every address of the panel, written once.
import { homePath, signInPath } from "./signInPath";

export const paths = {
  home: homePath,
  signIn: signInPath,
  users: "/users",
  newUser: "/users/create",
  user: (username: string) => `/users/${username}`,
  editUser: (username: string) => `/users/${username}/edit`,
  userCredits: (username: string) => `/users?openCredits=${encodeURIComponent(username)}`,
  usersWithStatus: (status: "expired" | "aboutToExpire") => `/users?status=${status}`,
  usersOfRole: (role: "agent" | "app") => `/users?roleCode=${role}`,
  renewals: "/renewals",
  visitHistory: "/visit-history",
  visitsOf: (username: string) => `/visit-history?username=${encodeURIComponent(username)}`,
  issues: "/issues",
  issue: (id: number) => `/issues?tab=all&report=${id}`,
  issuesOfType: (contentType: string) => `/issues?contentType=${contentType}`,
  creditsHistory: "/credits-history",
  creditsHistoryOf: (username: string) => `/credits-history?username=${encodeURIComponent(username)}`,
  statements: "/statements",
  statementOf: (username: string) => `/statements?username=${encodeURIComponent(username)}`,
  settings: "/settings/general",
  settingsTab: (tab: string) => (tab === "images" ? "/settings/general" : `/settings/general?tab=${tab}`),
  keys: "/settings/keys",
  liveProfiles: "/settings/live-profiles",
  completeness: "/content/completeness",
  duplicates: "/content/duplicates",
  duplicatesOf: (kind: string, reason: string) => `/content/duplicates?kind=${kind}&reason=${reason}`,
  schedule: "/content/guide",
  scheduleOf: (filter: Record<string, string | number>) =>
    `/content/guide?${new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))}`,
  guideHealth: "/content/guide-health",
  staleGuides: "/content/guide-health?show=stale",
  links: "/content/links",
  streams: (channel: number | string) => `${list("tv-channels")}/${channel}/streams`,
  epgReview: "/content/epg-review",
  epgReviewOf: (channel: number | string) => `/content/epg-review?channel=${channel}`,
  playlists: "/content/playlists",
  newPlaylist: "/content/playlists/create",
  playlist: (id: number | string) => `/content/playlists/${id}`,
  editPlaylist: (id: number | string) => `/content/playlists/${id}/edit`,
  operations: "/operations",
  trash: "/trash",
  audit: "/audit",
  backups: "/settings/backups",
  webhooks: "/settings/webhooks",
  newWebhook: "/settings/webhooks/create",
  webhook: (id: number | string) => `/settings/webhooks/${id}`,
  editWebhook: (id: number | string) => `/settings/webhooks/${id}/edit`,
  changePassword: "/settings/change-password",
  sessions: "/settings/sessions",
  contents: (kind: string) => list(kind),
  activeContents: (kind: string) => `${list(kind)}?active=true`,
  contentsMissing: (kind: string, part: string) => `${list(kind)}?missing=${part}`,
  newContent: (kind: string) => `${list(kind)}/create`,
  content: (kind: string, id: number | string) => `${list(kind)}/${id}`,
  episodes: (showId: number | string) => `${list("tv-shows")}/${showId}/episodes`,
  episode: (showId: number | string, id: number | string) =>
    `${list("tv-shows")}/${showId}/episodes?episode=${id}`,
  editContent: (kind: string, id: number | string) => `${list(kind)}/${id}/edit`,
} as const;

/** Where the form of an item is: that of an episode is on the page of its show. */
export function formOf(item: { kind: string; id: number; showId: number | null }): string {
  return item.showId === null ? paths.editContent(item.kind, item.id) : paths.episode(item.showId, item.id);
}

/** The panel's address of one list differs from the resource (docs/spec/content.md#types). */
function list(kind: string): string {
  return `/content/${kind === "tv-guides" ? "tv-guide" : kind}`;
}
