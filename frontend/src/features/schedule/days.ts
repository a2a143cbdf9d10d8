// Days and hours in the service's time zone, whatever the reader's is.
import { isDay } from "../../forms/rules";

const minute = 60_000;
export const hour = 60 * minute;
export const halfHour = 30 * minute;
/** Hours of one request. */
export const block = 6 * hour;

/** How far a zone is ahead of UTC at a moment, in milliseconds. */
function offset(moment: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(moment);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return local - Math.floor(moment / 1000) * 1000;
}

/** The day that it is at a moment: `2026-11-20`. */
export function dayOf(moment: number, zone: string): string {
  return new Date(moment + offset(moment, zone)).toISOString().slice(0, 10);
}

/** Whether an address names a day, and one whose neighbours can be reckoned with. */
export function isScheduleDay(text: string): boolean {
  return text.startsWith("2") && isDay(text);
}

/** The moment of an hour of a day. An hour that clocks jump over is the one they jump to. */
export function momentOf(day: string, hours: number, zone: string): number {
  const local = Date.parse(`${day}T00:00:00Z`) + hours * hour;
  const guess = local - offset(local, zone);
  const found = local - offset(guess, zone);
  // In an hour that is jumped over, either may be before the jump.
  return found + offset(found, zone) < local ? Math.max(guess, found) : found;
}

/** The day so many days later. */
export function later(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * 24 * hour).toISOString().slice(0, 10);
}

/** From the first moment of a day to the first of the next one: 23 to 25 hours. */
export function spanOf(day: string, zone: string): { from: number; to: number } {
  return { from: momentOf(day, 0, zone), to: momentOf(later(day, 1), 0, zone) };
}
