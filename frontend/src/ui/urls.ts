// What may become a src or an href. All typed URLs are checked here before they are rendered.

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

/** The host; the whole address where it has none. */
export function hostOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(url)?.[1] ?? url;
}
