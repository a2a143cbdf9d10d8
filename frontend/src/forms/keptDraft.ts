// The unsaved form of a user whose session ended: stored for this tab and this user, and restored
// after the next sign-in. Signing out deletes it. Never secrets.

import { keptDraftKey as key } from "../access/privateStorage";
import type { SentBody } from "../api/useIdempotencyKey";
import { session } from "../storage";

export interface KeptDraft {
  values: Record<string, unknown>;
  /** The version that the changes were made from. */
  version?: number;
  /** The last change that version contains. */
  updatedDate?: string;
  /** The values that the changes were made from: needed to determine the changed fields. */
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
