// Drafts of open forms in the browser's storage, by user and address: what a crash or a closed window leaves behind.
// Never secrets; bounded in size, number and age.
import { privateKey, privateKeys } from "../access/privateStorage";
import { local } from "../storage";
import type { KeptDraft } from "./keptDraft";

export interface LocalDraft extends KeptDraft {
  keptAt: string;
}

const prefix = "draft ";
const largestDraft = 200_000;
const mostDrafts = 20;
const longest = 30 * 24 * 60 * 60 * 1000;

const keyOf = (username: string, address: string) => privateKey(username, prefix + address);

/** A draft that was stored before keeps its time. */
export function storeLocalDraft(username: string, address: string, draft: KeptDraft | LocalDraft): void {
  const text = JSON.stringify({ keptAt: new Date().toISOString(), ...draft } satisfies LocalDraft);
  // An older one would not be what was written last.
  if (text.length > largestDraft) local.remove(keyOf(username, address));
  else local.set(keyOf(username, address), text);
  removeOldest(username);
}

export function localDraft(username: string, address: string): LocalDraft | undefined {
  const draft = local.read<LocalDraft>(keyOf(username, address));
  return draft && isRecent(draft.keptAt) ? draft : undefined;
}

const isRecent = (keptAt: string) => Date.now() - Date.parse(keptAt) < longest;

export function removeLocalDraft(username: string, address: string): void {
  local.remove(keyOf(username, address));
}

function removeOldest(username: string): void {
  const byAge = privateKeys(username, prefix).map((key) => ({
    key,
    keptAt: local.read<LocalDraft>(key)?.keptAt ?? "",
  }));
  byAge.sort((one, other) => (one.keptAt < other.keptAt ? -1 : 1));
  const tooMany = byAge.length - mostDrafts;
  for (const [index, { key, keptAt }] of byAge.entries())
    if (index < tooMany || !isRecent(keptAt)) local.remove(key);
}
