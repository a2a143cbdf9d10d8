// Whether the finder is asked for; apart from the finder itself, which is fetched at the first use.

const listeners = new Set<() => void>();

export function openFinder(): void {
  for (const listener of listeners) listener();
}

export function onFinder(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
