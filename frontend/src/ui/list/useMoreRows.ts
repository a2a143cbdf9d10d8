// How many rows of a list without pages are shown: some, and more with each press, as many as one request answers.
import { useState } from "react";
import { largestPage } from "../../api/page";

export function useMoreRows(first: number, step: number) {
  const [size, setSize] = useState(first);
  return {
    size,
    /** Whether there are more that can be shown. */
    hasMore: (total: number) => total > size && size < largestPage,
    showMore: () => setSize(Math.min(largestPage, size + step)),
  };
}
