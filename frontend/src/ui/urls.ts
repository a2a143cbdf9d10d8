// What may become a src or an href. Everything a person typed passes through here before the browser sees it.

/** The address, if it is http or https; nothing else is ever loaded or opened. */
export function webUrl(text: string | null | undefined): URL | undefined {
  if (!text) return undefined;
  const url = URL.parse ? URL.parse(text.trim()) : tryUrl(text.trim());
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url : undefined;
}

function tryUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

export function pictureUrl(text: string | null | undefined): string | undefined {
  return webUrl(text)?.href;
}

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

/** The host; the whole address where it has none. */
export function hostOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(url)?.[1] ?? url;
}
