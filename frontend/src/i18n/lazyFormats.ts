// Formats that neither lists nor the panel's shell need: what does loads them with itself.
import { currentLanguage } from ".";
import { asDate, dates, locales, numbers } from "./formats";

export function formatRating(value: number): string {
  return numbers({ minimumFractionDigits: 1 }).format(value);
}

/** «2026-11-20»: the day that it is at a moment. */
export function calendarDay(moment: Date, timeZone: string | undefined): string {
  const format = { year: "numeric", month: "2-digit", day: "2-digit", timeZone } as const;
  return new Intl.DateTimeFormat("en-CA", format).format(moment);
}

/** «14:05»: which of a day's movements it was. */
export function formatTime(moment: string): string {
  return dates({ timeStyle: "short" }).format(asDate(moment));
}

/** «20/11/2026». */
export function formatShortDay(moment: string): string {
  return dates({
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
  }).format(asDate(moment));
}

/** «3:05 p. m.»: by a clock of twelve hours. */
export function formatClock(moment: string): string {
  return dates({
    hour: "numeric",
    minute: "2-digit",
    hour12: true,
  }).format(asDate(moment));
}

/** «9,90»: an amount of money whose currency is whoever sells it's. */
export function formatPrice(value: number): string {
  return numbers({
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: "always",
  }).format(value);
}

/** «20 nov», for «2026-11-20». */
export function formatDayOfMonth(day: string): string {
  return dates({ day: "numeric", month: "short" }).format(asDate(day));
}

/** «viernes, 20 de noviembre de 2026», for «2026-11-20». */
export function formatLongDay(day: string): string {
  return dates({ dateStyle: "full" }).format(asDate(day));
}

/** «nov» or «noviembre de 2026», for «2026-11». */
export function formatMonth(month: string, style: "short" | "long"): string {
  return dates({
    month: style,
    ...(style === "long" && { year: "numeric" }),
    timeZone: "UTC",
  }).format(new Date(`${month}-01T00:00:00Z`));
}

/** «hoy», «mañana», «dentro de 5 días»: by the calendar of a zone or of the reader, not by stretches of 24 hours. */
export function formatDaysAhead(moment: string, timeZone?: string): string {
  const dayOf = (date: Date) => Date.parse(calendarDay(date, timeZone));
  const days = (dayOf(asDate(moment)) - dayOf(new Date())) / 86_400_000;
  return new Intl.RelativeTimeFormat(locales[currentLanguage()], { numeric: "auto" }).format(days, "day");
}

export function formatList(values: readonly string[]): string {
  return new Intl.ListFormat(locales[currentLanguage()], { type: "conjunction" }).format(values);
}

/** «14:05» where the clocks of a zone show it. */
export function formatTimeIn(moment: number, timeZone: string): string {
  return dates({ timeStyle: "short", timeZone }).format(moment);
}

/** «viernes, 20 de noviembre» in a zone. */
export function formatDayIn(moment: number, timeZone: string): string {
  return dates({
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone,
  }).format(moment);
}
