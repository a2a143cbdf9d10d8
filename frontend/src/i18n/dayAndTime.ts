// A moment to the minute, in texts.
import { formatDay } from "./formats";
import { formatTime } from "./lazyFormats";

/** «20 nov 2026, 14:05». */
export function formatDayAndTime(moment: string): string {
  return `${formatDay(moment)}, ${formatTime(moment)}`;
}
