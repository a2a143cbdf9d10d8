// The values of the server's enumerations in the reader's language. The words are the server's own.
import { enumLabels } from "../api/enums.gen";
import { currentLanguage } from ".";

export type EnumName = keyof typeof enumLabels;

type Labels = Record<string, { es: string; en: string }>;

export function optionsOf(name: EnumName): { value: string; label: string }[] {
  const language = currentLanguage();
  return Object.entries(enumLabels[name] as Labels).map(([value, label]) => ({
    value,
    label: label[language],
  }));
}

export function labelOf(name: EnumName, value: string): string {
  return (enumLabels[name] as Labels)[value]?.[currentLanguage()] ?? value;
}
