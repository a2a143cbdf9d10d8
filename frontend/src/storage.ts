// The browser's storage, which may be refused (a policy, a private window) or full: a failed write is
// ignored, and a failed read returns nothing.

function safe(storage: () => Storage) {
  const attempt = <Result>(use: (storage: Storage) => Result, otherwise: Result): Result => {
    try {
      return use(storage());
    } catch {
      return otherwise;
    }
  };
  return {
    get: (key: string) => attempt<string | null>((all) => all.getItem(key), null),
    set: (key: string, value: string) => attempt((all) => all.setItem(key, value), undefined),
    remove: (key: string) => attempt((all) => all.removeItem(key), undefined),
    /** What `write` kept; nothing where that cannot be read either. */
    read: <Value>(key: string) =>
      attempt((all) => (JSON.parse(all.getItem(key) ?? "null") as Value | null) ?? undefined, undefined),
    write: (key: string, value: unknown) =>
      attempt((all) => all.setItem(key, JSON.stringify(value)), undefined),
    keys: () => attempt<string[]>((all) => Object.keys(all), []),
  };
}

/** Of this browser. */
export const local = safe(() => localStorage);
/** Of this tab. */
export const session = safe(() => sessionStorage);
