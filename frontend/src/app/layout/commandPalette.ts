// Opens the command palette. Separate from the palette itself, which is fetched at the first use.

const listeners = new Set<() => void>();

export function openCommandPalette(): void {
  for (const listener of listeners) listener();
}

export function onCommandPalette(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
