// Whether the window is narrow.
import { useMediaQuery } from "@mantine/hooks";

/** Known from the first rendering on: nothing is drawn for a screen that it is not on. */
export function useIsAtMost(width: number): boolean {
  return useMediaQuery(`(max-width: ${width}px)`, undefined, { getInitialValueInEffect: false }) ?? false;
}
