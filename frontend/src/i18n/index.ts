// The two languages. The texts of the sign-in screen (sign-in.*.json) come with the program in Spanish; everything else
// comes with the panel, and English is fetched when it is chosen. Holds texts; nothing that knows a screen may enter.
import i18next, { type BackendModule, type ReadCallback } from "i18next";
import { initReactI18next } from "react-i18next";
import { chosenLanguage, keepLanguage, type Language, languages } from "./language";
import spanishSignIn from "./sign-in.es.json";

export { type Language, languages };

type Load = () => Promise<{ default: object }>;

const files = {
  "en/signIn": () => import("./sign-in.en.json"),
  "es/panel": () => import("./es.json"),
  "en/panel": () => import("./en.json"),
  "es/forms": () => import("./forms.es.json"),
  "en/forms": () => import("./forms.en.json"),
  "es/series": () => import("./series.es.json"),
  "en/series": () => import("./series.en.json"),
  "es/users": () => import("./users.es.json"),
  "en/users": () => import("./users.en.json"),
  "es/dashboards": () => import("./dashboards.es.json"),
  "en/dashboards": () => import("./dashboards.en.json"),
  "es/creditsHistory": () => import("./credits-history.es.json"),
  "en/creditsHistory": () => import("./credits-history.en.json"),
  "es/live": () => import("./live.es.json"),
  "en/live": () => import("./live.en.json"),
  "es/backups": () => import("./backups.es.json"),
  "en/backups": () => import("./backups.en.json"),
  "es/renewals": () => import("./renewals.es.json"),
  "en/renewals": () => import("./renewals.en.json"),
  "es/customer": () => import("./customer.es.json"),
  "en/customer": () => import("./customer.en.json"),
  "es/activity": () => import("./activity.es.json"),
  "en/activity": () => import("./activity.en.json"),
  "es/notices": () => import("./notices.es.json"),
  "en/notices": () => import("./notices.en.json"),
  "es/keys": () => import("./keys.es.json"),
  "en/keys": () => import("./keys.en.json"),
  "es/issues": () => import("./issues.es.json"),
  "en/issues": () => import("./issues.en.json"),
  "es/appSettings": () => import("./app-settings.es.json"),
  "en/appSettings": () => import("./app-settings.en.json"),
  "es/visits": () => import("./visits.es.json"),
  "en/visits": () => import("./visits.en.json"),
  "es/password": () => import("./password.es.json"),
  "en/password": () => import("./password.en.json"),
  "es/sessions": () => import("./sessions.es.json"),
  "en/sessions": () => import("./sessions.en.json"),
  "es/empty": () => import("./empty.es.json"),
  "en/empty": () => import("./empty.en.json"),
  "es/operations": () => import("./operations.es.json"),
  "en/operations": () => import("./operations.en.json"),
  "es/spreadsheets": () => import("./spreadsheets.es.json"),
  "en/spreadsheets": () => import("./spreadsheets.en.json"),
  "es/imports": () => import("./imports.es.json"),
  "en/imports": () => import("./imports.en.json"),
  "es/completeness": () => import("./completeness.es.json"),
  "en/completeness": () => import("./completeness.en.json"),
  "es/savedViews": () => import("./saved-views.es.json"),
  "en/savedViews": () => import("./saved-views.en.json"),
  "es/history": () => import("./history.es.json"),
  "en/history": () => import("./history.en.json"),
  "es/statements": () => import("./statements.es.json"),
  "en/statements": () => import("./statements.en.json"),
  "es/palette": () => import("./palette.es.json"),
  "en/palette": () => import("./palette.en.json"),
  "es/playlists": () => import("./playlists.es.json"),
  "en/playlists": () => import("./playlists.en.json"),
  "es/liveProfiles": () => import("./live-profiles.es.json"),
  "en/liveProfiles": () => import("./live-profiles.en.json"),
  "es/guideHealth": () => import("./guide-health.es.json"),
  "en/guideHealth": () => import("./guide-health.en.json"),
  "es/probes": () => import("./probes.es.json"),
  "en/probes": () => import("./probes.en.json"),
  "es/streams": () => import("./streams.es.json"),
  "en/streams": () => import("./streams.en.json"),
  "es/epgReview": () => import("./epg-review.es.json"),
  "en/epgReview": () => import("./epg-review.en.json"),
  "es/schedule": () => import("./schedule.es.json"),
  "en/schedule": () => import("./schedule.en.json"),
  "es/webhooks": () => import("./webhooks.es.json"),
  "en/webhooks": () => import("./webhooks.en.json"),
} satisfies Record<`${Language}/${string}`, Load>;

type NameOf<File> = File extends `en/${infer Name}` ? Name : never;

/** Texts that are fetched apart, by the name of what they are for. */
export type Texts = NameOf<keyof typeof files>;

const lazyTexts: BackendModule = {
  type: "backend",
  init() {},
  read(language: string, namespace: string, done: ReadCallback) {
    const load: Load | undefined = files[`${language}/${namespace}` as keyof typeof files];
    if (!load) return done(null, {});
    load().then(
      (texts) => done(null, texts.default),
      // Tried again by the library, some times, with growing pauses.
      (failure) => done(failure, true),
    );
  },
};

/** Those that were requested: a key is looked for in no others. No text is in two of them. */
const requested: Texts[] = [];

/** Ready when the sign-in screen can speak. */
export async function startLanguages(): Promise<void> {
  if (i18next.isInitialized) return;
  i18next.on("languageChanged", (language) => {
    // The build has no document.
    if (typeof document !== "undefined") document.documentElement.lang = language;
  });
  await i18next
    .use(lazyTexts)
    .use(initReactI18next)
    .init({
      lng: chosenLanguage(),
      // A test holds both languages complete, so there is nothing to fall back on.
      fallbackLng: false,
      supportedLngs: languages,
      partialBundledLanguages: true,
      resources: { es: { signIn: spanishSignIn } },
      ns: ["signIn"],
      defaultNS: "signIn",
      fallbackNS: requested,
      interpolation: { escapeValue: false },
      returnNull: false,
    });
}

/** The texts of everything behind the sign-in, in the language of the moment; later languages bring theirs along. */
export const loadPanelTexts = (): Promise<void> => loadTexts("panel");

/** The texts that only forms and the pages of single items need. */
export const loadFormTexts = (): Promise<void> => loadTexts("forms");

/** The texts that only series need, with the forms of their seasons and episodes. */
export const loadSeriesTexts = (): Promise<void> => loadTexts("series", "forms");

/** The texts that only users and their credits need, with those of their forms. */
export const loadUserTexts = (): Promise<void> => loadTexts("users", "forms");

/** Texts that a page, a part of one or a kind of content has for itself. */
export async function loadTexts(...names: readonly Texts[]): Promise<void> {
  for (const name of names) if (!requested.includes(name)) requested.push(name);
  await i18next.loadNamespaces(names);
}

export function currentLanguage(): Language {
  return i18next.language === "en" ? "en" : "es";
}

/** Runs whenever another language was chosen and its texts are there. Answers how to stop listening. */
export function onLanguageChange(listener: () => void): () => void {
  i18next.on("languageChanged", listener);
  return () => i18next.off("languageChanged", listener);
}

export async function chooseLanguage(language: Language): Promise<void> {
  keepLanguage(language);
  await i18next.changeLanguage(language);
}

/** For what speaks outside of components; inside, `useTranslation` also follows a change of language. */
export const t = i18next.t;

/** For keys put together at run time (a kind's own labels); a test walks them for both languages. */
export function textAt(key: string, values?: Record<string, unknown>): string {
  return String(i18next.t(key as never, values as never));
}

/** A text of one place, or of the place around it: what `contents.movies` does not say itself, `contents` does. */
export function textNear(place: string, key: string, values?: Record<string, unknown>): string {
  return String(i18next.t(nearby(place, key) as never, values as never));
}

export function hasTextNear(place: string, key: string): boolean {
  return i18next.exists(nearby(place, key));
}

function nearby(place: string, key: string): string[] {
  return [`${place}.${key}`, `${place.split(".").slice(0, -1).join(".")}.${key}`];
}

export function hasText(key: string): boolean {
  return i18next.exists(key);
}
