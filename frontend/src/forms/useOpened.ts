// What a form begins with. What is kept of an earlier visit may be old, or the item may be gone by now.
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";

/** The item, once the server has answered with it since the form was opened. It stays, whatever later requests answer. */
export function useOpened<Item>(query: UseQueryResult<Item>, id: number): Item | undefined {
  const [opened, setOpened] = useState<number>();
  const isOpen = opened === id || (query.isFetchedAfterMount && !query.isError);
  if (isOpen && opened !== id) setOpened(id);
  return isOpen ? query.data : undefined;
}
