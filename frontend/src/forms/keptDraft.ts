// What a user was typing when their session ended: kept for this tab and this user, and given
// back once they are in again. Signing out deletes it. Never secrets.

import { keptDraftKey as key } from "../access/privateStorage";
import type { SentBody } from "../api/useIdempotencyKey";
import { session } from "../storage";

export interface KeptDraft {
  values: Record<string, unknown>;
  /** The version that the changes were made from. */
  version?: number;
  /** The values that the changes were made from: without them nobody could say what was changed. */
  before?: Record<string, unknown>;
  /** The key under which it was sent, if it was: sent again, it must not be done twice. */
  sent?: SentBody;
  /** The fields whose changes are not kept: secrets. */
  leftOut?: string[];
}

export function keepDraft(username: string, address: string, draft: KeptDraft): void {
  session.write(key(username, address), draft);
}

export function keptDraft(username: string, address: string): KeptDraft | undefined {
  return session.read(key(username, address));
}

export function forgetDraft(username: string, address: string): void {
  session.remove(key(username, address));
}
