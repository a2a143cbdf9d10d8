// Reloading the panel (a new release, a part that does not load) without losing what is being written: forms register
// here and keep their drafts for the page that comes.

const listeners = new Set<() => void>();
let isUnderWay = false;

/** Runs before a reload. Answers how to stop listening. */
export function onReload(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The browser need not ask about unsaved changes: they are kept. */
export function isReloading(): boolean {
  return isUnderWay;
}

export function reloadKeepingDrafts(): void {
  for (const listener of listeners) listener();
  isUnderWay = true;
  // The browser asks for unsaved changes that can't be stored; the user may cancel.
  const end = () =>
    setTimeout(() => {
      isUnderWay = false;
    });
  window.addEventListener("beforeunload", end, { once: true });
  location.reload();
}
