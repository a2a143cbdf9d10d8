// What the last import said about its links, kept in this browser: the next season of a show streams from the same
// place; another show has its own addresses, but usually the same quality and languages. Addresses may carry the
// credentials of a provider: they are the user's, and deleted when they sign out.
import { privateKey } from "../../../access/privateStorage";
import { local } from "../../../storage";

interface ImportChoices {
  pattern: string;
  quality: string;
  audioLanguages: string[];
  subtitleLanguages: string[];
}

const keyOf = (username: string, show: number) => privateKey(username, `import ${show}`);
const lastKey = "cartelera.import";

export function rememberImport(username: string, show: number, choices: ImportChoices): void {
  local.write(keyOf(username, show), choices);
  local.write(lastKey, { ...choices, pattern: "" });
}

export function rememberedImport(username: string, show: number): ImportChoices | undefined {
  return read(keyOf(username, show)) ?? read(lastKey);
}

function read(key: string): ImportChoices | undefined {
  const kept = local.read<Partial<ImportChoices>>(key);
  if (typeof kept?.pattern !== "string" || typeof kept.quality !== "string") return undefined;
  if (!Array.isArray(kept.audioLanguages) || !Array.isArray(kept.subtitleLanguages)) return undefined;
  return kept as ImportChoices;
}
