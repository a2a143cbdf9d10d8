// Which of the two languages this browser has chosen.
import { local } from "../storage";

export const languages = ["es", "en"] as const;
export type Language = (typeof languages)[number];

const storageKey = "language";

export function chosenLanguage(): Language {
  return local.get(storageKey) === "en" ? "en" : "es";
}

export function keepLanguage(language: Language): void {
  local.set(storageKey, language);
}
