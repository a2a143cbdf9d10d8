// Downloads started before the router requests them.
import { lazyPart } from "../loading/lazyPart";
import { loadPages } from "./loadPages";
import { Shell } from "./loadShell";

const loadPanel = () => import("./Panel");
export const Panel = lazyPart(loadPanel);

/** What comes after the sign-in: the router, where its pages are, and the panel's shell with its texts. */
export function loadAfterSignIn(): Promise<unknown> {
  return Promise.all([Panel.preload(), Shell.preload(), loadPages()]);
}

/** These downloads: ready when they have ended; nothing where there are none. */
export let loadingAhead: Promise<unknown> | undefined;

/**
 * Starts the downloads for an address beside the request for the session. A failure is left to who needs the part.
 * The files of these modules are those of scripts/panelLinks.ts (a test compares them), whose downloads the document has
 * started by now.
 */
export function loadAhead({ pathname }: Location): void {
  const page = loadPanel().then(({ loadPage }) => loadPage(pathname));
  loadingAhead = Promise.all([Panel.preload(), Shell.preload(), page]).catch(() => {});
}
