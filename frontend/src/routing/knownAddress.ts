// Which values a page has for the parameters of its address. An address may have been typed, cut, or be of another time: what
// the page does not have is not requested, and AddressWarning.tsx says so.

/** For each parameter, whether a value is one that the page has. */
export type Known = Readonly<Record<string, (value: string) => boolean>>;

/** The names of the parameters whose values the page does not have. */
export function unknownIn(address: URLSearchParams, known: Known): string[] {
  return Object.entries(known).flatMap(([name, isKnown]) => {
    const value = address.get(name);
    return value && !isKnown(value) ? [name] : [];
  });
}

export function withoutUnknown(address: URLSearchParams, known: Known): URLSearchParams {
  const rest = new URLSearchParams(address);
  for (const name of unknownIn(address, known)) rest.delete(name);
  return rest;
}

/** Filters as they were read from an address, without the values that the page does not have. */
export function knownOf(filters: Record<string, string>, known: Known): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, known[name]?.(value) === false ? "" : value]),
  );
}

/** Ids and pages, which are counted from one. */
export const isPositive = (value: string) => /^[1-9]\d{0,8}$/.test(value);

export const isOneOf = (values: readonly string[]) => (value: string) => values.includes(value);

export const isPageSize = (value: string) =>
  /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= 1000;

/** What pages of rows without an order to choose have in their address, beside their own. */
export const plainRows: Known = { page: isPositive, size: isPageSize, sort: () => false };
