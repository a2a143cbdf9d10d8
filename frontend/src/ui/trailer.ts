// What a trailer's address is. Apart from other addresses: no list needs it.
import { webUrl } from "./urls";

export type Trailer =
  | { kind: "embed"; src: string }
  | { kind: "file"; src: string }
  | { kind: "unknown"; href: string };

const files = /\.(mp4|webm|ogg|ogv|mov|avi|mkv)$/i;
const youTubeHosts = [
  "youtube.com",
  "www.youtube.com",
  "m.youtube.com",
  "youtube-nocookie.com",
  "www.youtube-nocookie.com",
];
const vimeoHosts = ["vimeo.com", "www.vimeo.com", "player.vimeo.com"];

/** What a trailer's address is: a video service by its id, a file that plays here, or a page to open elsewhere. */
export function trailerOf(text: string | null | undefined): Trailer | undefined {
  const url = webUrl(text);
  if (!url) return undefined;
  const youTube = youTubeId(url);
  if (youTube) return { kind: "embed", src: `https://www.youtube-nocookie.com/embed/${youTube}` };
  const vimeo = vimeoHosts.includes(url.hostname) && /\/(\d{5,12})(?:\/|$)/.exec(url.pathname)?.[1];
  if (vimeo) return { kind: "embed", src: `https://player.vimeo.com/video/${vimeo}?dnt=1` };
  if (files.test(url.pathname)) return { kind: "file", src: url.href };
  return { kind: "unknown", href: url.href };
}

function youTubeId(url: URL): string | undefined {
  const candidate = (() => {
    if (url.hostname === "youtu.be") return url.pathname.slice(1);
    if (!youTubeHosts.includes(url.hostname)) return undefined;
    return url.searchParams.get("v") ?? /^\/(?:embed|shorts|live|v)\/([^/]+)/.exec(url.pathname)?.[1];
  })();
  return candidate && /^[\w-]{11}$/.test(candidate) ? candidate : undefined;
}
