// The address of a call: its path and query as they are sent.

/** An array becomes one parameter, joined by commas. */
export type Query = Record<string, string | number | boolean | readonly (string | number)[] | undefined>;

export function addressOf(path: string, query: Query = {}): string {
  const values = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [[key, String(value)]],
  );
  return values.length > 0 ? `${path}?${new URLSearchParams(values)}` : path;
}
