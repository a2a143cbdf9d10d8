// The pages that are no list, form or page of a kind of content: what each downloads, its module and its texts side by side.
// A download of its own, so that a list does not bring the addresses of every other page's files.
import type { Kind } from "../access/kinds";
import { loadFormTexts, loadSeriesTexts, loadTexts, loadUserTexts, type Texts } from "../i18n";
import type { EntryKey } from "./navigation";

const users = () => import("../features/users/pages");

const parts = async () =>
  (await Promise.all([import("../features/catalogue/episodes/PartsPage"), loadSeriesTexts()]))[0];

/** By the name of the page's address in `paths`, or of its entry in the menus. */
export const pages = {
  home: () => withTexts("dashboards", import("../features/dashboards/HomePage")),
  episodes: async () => {
    const [page] = await Promise.all([
      import("../features/catalogue/episodes/EpisodesPage"),
      loadSeriesTexts(),
    ]);
    return { default: page.EpisodesPage };
  },
  seasons: async () => ({ default: (await parts()).SeasonsOfAllShows }),
  allEpisodes: async () => ({ default: (await parts()).EpisodesOfAllShows }),
  users: async () => ({ default: (await users()).UsersPage }),
  newUser: async () => ({ default: (await users()).CreateUserPage }),
  user: () =>
    withTexts("customer", import("../features/customer/CustomerPage"), async () => {
      await Promise.all([loadUserTexts(), loadTexts("renewals", "creditsHistory")]);
    }),
  editUser: async () => ({ default: (await users()).EditUserPage }),
  creditsHistory: () =>
    withTexts("creditsHistory", import("../features/credits-history/CreditsHistoryPage"), loadFormTexts),
  statements: () => withTexts("statements", import("../features/statements/StatementsPage")),
  renewals: () => withTexts("renewals", import("../features/renewals/RenewalsPage"), loadFormTexts),
  backups: () => withTexts("backups", import("../features/backups/BackupsPage")),
  operations: () => withTexts("operations", import("../features/operations/OperationsPage"), loadSeriesTexts),
  completeness: () => withTexts("completeness", import("../features/completeness/CompletenessPage")),
  duplicates: () =>
    withTexts("completeness", import("../features/catalogue/duplicates/DuplicatesPage"), loadFormTexts),
  trash: () => withTexts("history", import("../features/catalogue/trash/TrashPage"), loadFieldTexts),
  audit: () => withTexts("history", import("../features/audit/AuditPage"), loadFieldTexts),
  keys: () => withTexts("keys", import("../features/keys/KeysPage"), loadFormTexts),
  liveProfiles: () =>
    withTexts("liveProfiles", import("../features/live-profiles/LiveProfilesPage"), loadFormTexts),
  issues: () => withTexts("issues", import("../features/issues/IssuesPage"), loadFormTexts),
  visitHistory: () => withTexts("visits", import("../features/visit-history/VisitHistoryPage")),
  settings: () =>
    withTexts("appSettings", import("../features/settings/SettingsPage"), async () => {
      await Promise.all([loadFormTexts(), loadTexts("empty")]);
    }),
  changePassword: () => withTexts("password", import("../features/password/ChangePasswordPage")),
  sessions: () => withTexts("sessions", import("../features/sessions/SessionsPage")),
  webhooks: () => withTexts("webhooks", import("../features/webhooks/WebhooksPage"), loadFormTexts),
  newWebhook: () => withTexts("webhooks", import("../features/webhooks/CreateWebhook"), loadFormTexts),
  editWebhook: () => withTexts("webhooks", import("../features/webhooks/EditWebhook"), loadFormTexts),
  webhook: () => withTexts("webhooks", import("../features/webhooks/WebhookPage"), loadFormTexts),
  guideHealth: () =>
    withTexts("guideHealth", import("../features/guide-health/GuideHealthPage"), loadFormTexts),
  links: () => withTexts("probes", import("../features/links/LinksPage")),
  streams: () =>
    withTexts("streams", import("../features/links/StreamsPage"), async () => {
      await Promise.all([loadFormTexts(), loadTexts("probes")]);
    }),
  epgReview: () =>
    withTexts("epgReview", import("../features/epg-review/EpgReviewPage"), async () => {
      await Promise.all([loadFormTexts(), loadTexts("operations")]);
    }),
  schedule: () => withTexts("schedule", import("../features/schedule/SchedulePage")),
  playlists: () => withTexts("playlists", import("../features/playlists/PlaylistsPage"), loadFormTexts),
  newPlaylist: () => withTexts("playlists", import("../features/playlists/CreatePlaylist"), loadFormTexts),
  editPlaylist: () => withTexts("playlists", import("../features/playlists/EditPlaylist"), loadFormTexts),
  playlist: () =>
    withTexts("playlists", import("../features/playlists/PlaylistPage"), async () => {
      await Promise.all([loadFormTexts(), loadTexts("operations")]);
    }),
} satisfies Record<Exclude<EntryKey, Kind>, unknown> & Record<string, unknown>;

/** A page and its own texts, with those of forms where it has one, fetched side by side. */
async function withTexts<Module>(texts: Texts, module: Promise<Module>, more?: () => Promise<void>) {
  return (await Promise.all([module, loadTexts(texts), more?.()]))[0];
}

/** The names of all fields there are. */
async function loadFieldTexts() {
  await Promise.all([loadSeriesTexts(), loadUserTexts()]);
}
