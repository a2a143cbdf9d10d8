// Values that a look-up filled into a form: the next look-up replaces them.
import type { Draft, PartialDraft } from "../../forms/draft";
import { isEmpty } from "./LookupResult";

/** By field: the value that was filled in, and the one that it replaced. */
export type FilledIn = Readonly<Record<string, { value: unknown; before: unknown }>>;

/**
 * Fields that an earlier look-up filled in and that were not edited since are first restored. What was typed
 * stays.
 */
export function fillIn<D extends object>(draft: Draft<D>, found: object, earlier: FilledIn): FilledIn {
  const isUnchanged = ([name, { value }]: [string, FilledIn[string]]) =>
    JSON.stringify(draft.get(name)) === JSON.stringify(value);
  const restored = new Map(
    Object.entries(earlier)
      .filter(isUnchanged)
      .map(([name, { before }]) => [name, before]),
  );
  const now = draft.toPayload() as Record<string, unknown>;
  const begun = draft.unchanged();
  const isReplaceable = (name: string) =>
    restored.has(name) || isEmpty(now[name]) || JSON.stringify(now[name]) === JSON.stringify(begun[name]);
  const known = Object.entries(found).filter(([name, value]) => !isEmpty(value) && isReplaceable(name));
  const filledIn = Object.fromEntries(
    known.map(([name, value]) => [
      name,
      { value, before: restored.has(name) ? restored.get(name) : draft.get(name) },
    ]),
  );
  draft.merge({ ...Object.fromEntries(restored), ...Object.fromEntries(known) } as PartialDraft<D>);
  return filledIn;
}
