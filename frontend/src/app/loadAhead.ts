// Downloads started before the router requests them.
import { kinds } from "../access/kinds";
import { paths } from "../routing/paths";
import { loadPages } from "./loadPages";
import { loadShell } from "./loadShell";

export const loadPanel = () => import("./Panel");

/** What comes after the sign-in: the router, where its pages are, and the panel's shell with its texts. */
export function loadAfterSignIn(): Promise<unknown> {
  return Promise.all([loadPanel(), loadShell(), loadPages()]);
}

/**
 * Starts the downloads for an address beside the request for the session. A failure is left to who needs the part.
 * The files of these modules are those of scripts/panelLinks.ts (a test compares them), whose downloads the document has
 * started by now.
 */
export function loadAhead({ pathname }: Location): void {
  const kind = kinds.find((one) => pathname === paths.contents(one));
  const page = kind
    ? import("../features/catalogue/pages").then(({ loadList }) => loadList(kind))
    : loadPages();
  Promise.all([loadPanel(), loadShell(), page]).catch(() => {});
}
