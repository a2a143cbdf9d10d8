// What a form begins with: what the server says now. What is kept may be old, or of an item that is gone. Once the form is
// there it stays, whatever a later read answers: saving says what became of the item.
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
