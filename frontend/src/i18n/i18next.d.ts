import type activity from "./activity.es.json";
import type appSettings from "./app-settings.es.json";
import type backups from "./backups.es.json";
import type completeness from "./completeness.es.json";
import type creditsHistory from "./credits-history.es.json";
import type customer from "./customer.es.json";
import type dashboards from "./dashboards.es.json";
import type epgReview from "./epg-review.es.json";
import type panel from "./es.json";
import type forms from "./forms.es.json";
import type guideHealth from "./guide-health.es.json";
import type history from "./history.es.json";
import type imports from "./imports.es.json";
import type issues from "./issues.es.json";
import type keys from "./keys.es.json";
import type live from "./live.es.json";
import type liveProfiles from "./live-profiles.es.json";
import type notices from "./notices.es.json";
import type operations from "./operations.es.json";
import type palette from "./palette.es.json";
import type password from "./password.es.json";
import type playlists from "./playlists.es.json";
import type probes from "./probes.es.json";
import type renewals from "./renewals.es.json";
import type savedViews from "./saved-views.es.json";
import type schedule from "./schedule.es.json";
import type series from "./series.es.json";
import type sessions from "./sessions.es.json";
import type signIn from "./sign-in.es.json";
import type spreadsheets from "./spreadsheets.es.json";
import type statements from "./statements.es.json";
import type streams from "./streams.es.json";
import type users from "./users.es.json";
import type visits from "./visits.es.json";
import type webhooks from "./webhooks.es.json";

type Shared = "common" | "contents" | "palette";

type Texts = Omit<typeof panel, Shared> &
  Omit<typeof signIn, Shared> &
  Omit<typeof forms, Shared> &
  Omit<typeof series, Shared> &
  typeof users &
  typeof dashboards &
  typeof creditsHistory &
  typeof renewals &
  typeof customer &
  typeof activity &
  typeof notices &
  typeof backups &
  Omit<typeof live, Shared> &
  typeof keys &
  typeof liveProfiles &
  typeof issues &
  typeof appSettings &
  typeof visits &
  typeof webhooks &
  typeof playlists &
  typeof schedule &
  typeof guideHealth &
  typeof probes &
  typeof streams &
  typeof epgReview &
  typeof history &
  typeof operations &
  typeof spreadsheets &
  typeof imports &
  typeof completeness &
  typeof savedViews &
  typeof sessions &
  typeof statements &
  typeof password & {
    common: typeof panel.common & typeof signIn.common & typeof forms.common & typeof live.common;
    contents: typeof panel.contents & typeof forms.contents & typeof series.contents;
    palette: typeof panel.palette & typeof palette.palette;
  };

// The Spanish files are the source of the keys: a key that they do not know is a type error. To the compiler both are
// one; which of the two a text comes from is a matter of when it is downloaded.
declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "signIn";
    resources: { signIn: Texts };
    returnNull: false;
  }
}
