// What the screen where something is changed calls its fields: the audit log and the histories call them the same.
import { hasText, loadSeriesTexts, loadTexts, loadUserTexts, type Texts, textAt } from "../i18n";

interface Screen {
  /** Fetches the texts of the screen. */
  load: () => Promise<void>;
  /** Where the labels of its fields are. */
  labels: string;
}

const page = (texts: Texts, labels: string): Screen => ({
  load: () => loadTexts(texts),
  labels,
});

const screens: Record<string, Screen> = {
  users: { load: loadUserTexts, labels: "users.fields" },
  // Changes of an operation have the labels of its page.
  operations: page("operations", "operations.fields"),
  seasons: { load: loadSeriesTexts, labels: "contents.seasons.fields" },
  episodes: { load: loadSeriesTexts, labels: "contents.episodes.fields" },
  // The settings of their fetches; the fields of their form come with the panel.
  "tv-guides": page("guideHealth", "guideHealth.settings.fields"),
  "integrator-keys": page("keys", "keys.fields"),
  "live-profiles": page("liveProfiles", "liveProfiles.fields"),
  "playlist-sources": page("playlists", "playlists.fields"),
  "epg-matching": page("epgReview", "epgReview.settings.fields"),
  "issue-reports": page("issues", "issues.fields"),
  webhooks: page("webhooks", "webhooks.fields"),
  "app-settings": page("appSettings", "appSettings.control.fields"),
  "background-images": page("appSettings", "appSettings.background-images.fields"),
  "alert-messages": page("appSettings", "appSettings.alert-messages.fields"),
  "renewal-messages": page("appSettings", "appSettings.renewal-messages.fields"),
};

/** Fetches the labels of what entries about a resource change. */
export async function loadScreenLabels(resource: string): Promise<void> {
  await screens[resource]?.load();
}

/** What the screen of a resource calls a field, if it has one and its labels are there. */
export function screenLabelOf(resource: string, field: string): string | undefined {
  const key = `${screens[resource]?.labels}.${field}`;
  return hasText(key) ? textAt(key) : undefined;
}
