// What the browser stores for one user: deleted when they sign out.

export const privateKey = (username: string, name: string) => `cartelera.of.${username} ${name}`;

export function privateKeys(username: string, name = ""): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(privateKey(username, name)));
}

export function clearPrivate(username: string): void {
  for (const key of privateKeys(username)) localStorage.removeItem(key);
}
