// Days counted from today, where the service is.
import { calendarDay } from "./lazyFormats";
import { serviceZone } from "./serviceZone";

/** The day so many days from now, or before: the server's days are those of the service. */
export function dayFromNow(days: number): string {
  const date = new Date(`${calendarDay(new Date(), serviceZone())}T12:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
