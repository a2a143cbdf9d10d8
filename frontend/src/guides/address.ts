// Addresses of TV guides.

/** Whether the name of the file means that it is compressed. */
export const isNamedCompressed = (url: string) => /\.gz($|[?#])/i.test(url.trim());

/** Whether two addresses are equal after normalisation. */
export const isSameAddress = (one: string, other: string) => normal(one) === normal(other);

function normal(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url.trim();
}
