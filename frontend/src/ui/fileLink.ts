// Links to files that the browser downloads. Where the session has expired the server has a problem instead of the
// file: so the session is checked first, by a call that brings the sign-in over the page, and the download begins when
// it is known. The file itself does not pass through the panel: it may have a million rows.
import type { MouseEvent } from "react";
import { call } from "../api/client";
import { messageOf } from "../api/problem";
import { textAt } from "../i18n";
import { toast } from "./toast";

interface DownloadOptions {
  /** Aborted where the file is not wanted any more. */
  signal?: AbortSignal;
  onBegun?: () => void;
  /** Shows why it cannot begin; without it, a toast does. */
  onFailed?: (problem: unknown) => void;
}

/** The properties of a link to a file. */
export function fileLink(href: string, optionsOf?: () => DownloadOptions) {
  return {
    href,
    download: true,
    onClick: (event: MouseEvent<HTMLAnchorElement>) => {
      // Another tab or window is the browser's.
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void download(href, optionsOf?.());
    },
  };
}

/** The addresses for which the session is being checked: a double click is one download. */
const underWay = new Set<string>();

const showFailure = (problem: unknown) => toast.failure(textAt("list.notDownloaded"), messageOf(problem));

async function download(
  href: string,
  { signal, onBegun, onFailed = showFailure }: DownloadOptions = {},
): Promise<void> {
  if (underWay.has(href)) return;
  underWay.add(href);
  try {
    await call("get", "/auth/sessions", { signal });
  } catch (problem) {
    if (!signal?.aborted) onFailed(problem);
    return;
  } finally {
    underWay.delete(href);
  }
  if (signal?.aborted) return;
  const link = document.createElement("a");
  link.href = href;
  link.download = "";
  link.click();
  onBegun?.();
}
