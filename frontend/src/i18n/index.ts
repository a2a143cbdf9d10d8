// The two languages: Spanish comes with the program, English when it is asked for.
// Holds texts and formats; nothing that knows a screen may enter.
import i18next, { type BackendModule, type TFunction } from "i18next";
import { initReactI18next } from "react-i18next";
import es from "./es.json";

export const languages = ["es", "en"] as const;
export type Language = (typeof languages)[number];

const storageKey = "language";

const lazyLanguages: BackendModule = {
  type: "backend",
  init() {},
  read: (_language, _namespace, done) => {
    import("./en.json").then(
      (texts) => done(null, texts.default),
      (failure) => done(failure, false),
    );
  },
};

function chosenLanguage(): Language {
  return localStorage.getItem(storageKey) === "en" ? "en" : "es";
}

/** Ready when the chosen language's texts are there. */
export async function startLanguages(): Promise<void> {
  if (i18next.isInitialized) return;
  i18next.on("languageChanged", (language) => {
    document.documentElement.lang = language;
  });
  await i18next
    .use(lazyLanguages)
    .use(initReactI18next)
    .init({
      lng: chosenLanguage(),
      fallbackLng: "es",
      supportedLngs: languages,
      partialBundledLanguages: true,
      resources: { es: { translation: es } },
      interpolation: { escapeValue: false },
      returnNull: false,
    });
}

export function currentLanguage(): Language {
  return i18next.language === "en" ? "en" : "es";
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language);
  await i18next.changeLanguage(language);
}

/** For what speaks outside of components; inside, `useTranslation` also follows a change of language. */
export const t = ((key: string, values?: object) => i18next.t(key as never, values as never)) as unknown as TFunction;

/** For keys put together at run time (a kind's own labels); a test walks them for both languages. */
export function textAt(key: string, values?: Record<string, unknown>): string {
  return i18next.t(key as never, values as never) as unknown as string;
}

export function hasText(key: string): boolean {
  return i18next.exists(key);
}
