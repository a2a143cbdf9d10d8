// The browser's storage, which may be refused (a policy, a private window) or full: a failed write is
// ignored, and a failed read returns nothing.

function safe(storage: () => Storage) {
  const attempt = <Result>(use: (storage: Storage) => Result): Result | undefined => {
    try {
      return use(storage());
    } catch {
      return undefined;
    }
  };
  return {
    get: (key: string) => attempt((all) => all.getItem(key)) ?? null,
    set: (key: string, value: string) => attempt((all) => all.setItem(key, value)),
    remove: (key: string) => attempt((all) => all.removeItem(key)),
    /** What `write` kept; nothing where that cannot be read either. */
    read: <Value>(key: string) =>
      attempt((all) => JSON.parse(all.getItem(key) ?? "null") as Value | null) ?? undefined,
    write: (key: string, value: unknown) => attempt((all) => all.setItem(key, JSON.stringify(value))),
    keys: () => attempt((all) => Object.keys(all)) ?? [],
  };
}

/** Of this browser. */
export const local = safe(() => localStorage);
/** Of this tab. */
export const session = safe(() => sessionStorage);
