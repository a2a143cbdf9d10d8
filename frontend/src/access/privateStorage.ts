// What the browser stores for one user: deleted when they sign out.
import { local } from "../storage";

export const privateKey = (username: string, name: string) => `cartelera.of.${username} ${name}`;

export function privateKeys(username: string, name = ""): string[] {
  return local.keys().filter((key) => key.startsWith(privateKey(username, name)));
}

export function clearPrivate(username: string): void {
  for (const key of privateKeys(username)) local.remove(key);
}
