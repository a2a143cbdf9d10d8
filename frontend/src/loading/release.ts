// Whether the server has another release than the one that runs here. A download that fails is the sign: its file has
// a name of its own in every release, and the old one is gone.
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let isNewer = false;

const entryOf = (page: Document) =>
  page.querySelector('script[type="module"][src]')?.getAttribute("src") ?? undefined;

const fetchDocument = () => fetch("/", { cache: "no-store", headers: { accept: "text/html" } });

/** Whether the stream of the server's events is cut off. */
export const connection = { isLost: false };

/** Whether the server delivers the panel's document now. */
export async function isServerAnswering(): Promise<boolean> {
  try {
    return (await fetchDocument()).ok;
  } catch {
    return false;
  }
}

/** Compares the program that runs with the one that the server would give to a new tab. */
async function lookForNewer(): Promise<void> {
  const own = entryOf(document);
  if (isNewer || !own) return;
  try {
    const answer = await fetchDocument();
    if (!answer.ok) return;
    const served = entryOf(new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (!served || served === own) return;
    isNewer = true;
    for (const listener of listeners) listener();
  } catch {
    // Without a server there is no release to compare with.
  }
}

/** Starts looking when Vite reports a download that failed. Answers how to stop. The failure stays a failure. */
export function watchRelease(): () => void {
  const look = () => void lookForNewer();
  window.addEventListener("vite:preloadError", look);
  return () => window.removeEventListener("vite:preloadError", look);
}

export function useIsNewRelease(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isNewer,
  );
}
