// Data of one user in the storage of the browser; deleted at sign-out.
import { local, session } from "../storage";

export const privateKey = (username: string, name: string) => `cartelera.of.${username} ${name}`;

export function privateKeys(username: string, name = ""): string[] {
  return local.keys().filter((key) => key.startsWith(privateKey(username, name)));
}

/** A draft of this tab that waits for the user to sign in again. An address begins with a slash. */
export const keptDraftKey = (username: string, address: string) => `cartelera.draft.${username}.${address}`;

export function clearPrivate(username: string): void {
  for (const key of privateKeys(username)) local.remove(key);
  for (const key of session.keys()) if (key.startsWith(keptDraftKey(username, "/"))) session.remove(key);
}
