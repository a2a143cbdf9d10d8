// What the last import said about its links, kept in this browser: the next season of a show streams from the same
// place; another show has its own addresses, but usually the same quality and languages.
import { local } from "../../../storage";

export interface ImportChoices {
  pattern: string;
  quality: string;
  audioLanguages: string[];
  subtitleLanguages: string[];
}

const keyOf = (show: number) => `cartelera.import.${show}`;
const lastKey = "cartelera.import";

export function rememberImport(show: number, choices: ImportChoices): void {
  local.set(keyOf(show), JSON.stringify(choices));
  local.set(lastKey, JSON.stringify({ ...choices, pattern: "" }));
}

export function rememberedImport(show: number): ImportChoices | undefined {
  return read(keyOf(show)) ?? read(lastKey);
}

function read(key: string): ImportChoices | undefined {
  try {
    const kept = JSON.parse(local.get(key) ?? "null") as Partial<ImportChoices> | null;
    if (typeof kept?.pattern !== "string" || typeof kept.quality !== "string") return undefined;
    if (!Array.isArray(kept.audioLanguages) || !Array.isArray(kept.subtitleLanguages)) return undefined;
    return kept as ImportChoices;
  } catch {
    return undefined;
  }
}
