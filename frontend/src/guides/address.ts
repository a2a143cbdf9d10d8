// Addresses of TV guides.

/** A file that is called so is compressed. */
export const isNamedCompressed = (url: string) => /\.gz($|[?#])/i.test(url.trim());

/** The same place, however it is written. */
export const isSameAddress = (one: string, other: string) => normal(one) === normal(other);

function normal(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url.trim();
}
