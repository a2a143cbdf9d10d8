// The initial values of a form: a new response of the server, as the cache may be stale or have a deleted item. Later
// responses do not change the form: saving reports conflicts and deletions.
import type { UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";

/** `of`: which item the query reads. Undefined until it was read, and where it could not be. */
export function useStored<Item>(
  { data, isFetchedAfterMount, isError }: UseQueryResult<Item>,
  of: string | number | undefined,
): Item | undefined {
  const begun = useRef<typeof of>(undefined);
  if (isFetchedAfterMount && !isError && data !== undefined) begun.current = of;
  return begun.current !== undefined && begun.current === of ? data : undefined;
}
