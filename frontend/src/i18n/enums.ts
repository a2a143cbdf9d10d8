// The values of the server's enumerations in the reader's language. The words are the server's own, a file for each
// enumeration (api/enums), so that a kind's texts are downloaded only with its pages.
import { currentLanguage } from ".";

/** Every value of one enumeration, with its name in both languages. */
export type EnumLabels = Readonly<Record<string, { readonly es: string; readonly en: string }>>;

export function optionsOf(labels: EnumLabels): { value: string; label: string }[] {
  const language = currentLanguage();
  return Object.entries(labels).map(([value, label]) => ({ value, label: label[language] }));
}

export function labelOf(labels: EnumLabels, value: string): string {
  return labels[value]?.[currentLanguage()] ?? value;
}
