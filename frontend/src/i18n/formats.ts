// Numbers and dates in the reader's language. Nothing but this and lazyFormats.ts formats either.
import { currentLanguage } from ".";
import { serviceZone } from "./serviceZone";

export const locales = { es: "es-ES", en: "en-GB" } as const;

// A formatter takes a hundred times as long to make as to use: each is made once.
const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

function formatter<F extends Intl.DateTimeFormat | Intl.NumberFormat, O>(
  Format: new (locale: string, options: O) => F,
  options: O,
): F {
  const locale = locales[currentLanguage()];
  const key = `${Format.name} ${locale} ${JSON.stringify(options)}`;
  let known = made.get(key) as F | undefined;
  if (!known) {
    known = new Format(locale, options);
    made.set(key, known);
  }
  return known;
}

export const numbers = (options: Intl.NumberFormatOptions) => formatter(Intl.NumberFormat, options);
export const dates = (options: Intl.DateTimeFormatOptions) => formatter(Intl.DateTimeFormat, options);

/** «10.000», and «1.000» too: Spanish would leave four figures ungrouped, which makes columns hard to compare. */
export function formatNumber(value: number): string {
  return numbers({ useGrouping: "always" }).format(value);
}

export function formatDay(moment: string): string {
  return dates({ dateStyle: "medium" }).format(asDate(moment));
}

/** The day of a moment where the service is. A calendar date is the same everywhere. */
export function formatServiceDay(moment: string): string {
  if (moment.length === 10) return formatDay(moment);
  return dates({ dateStyle: "medium", timeZone: serviceZone() }).format(asDate(moment));
}

/** «20 de noviembre de 2026, 14:05:33»: the exact moment, where the reader or a zone is. */
export function formatMoment(moment: string, timeZone?: string): string {
  return dates({
    dateStyle: "long",
    timeStyle: "medium",
    timeZone,
  }).format(asDate(moment));
}

/** A calendar date has no zone; read as UTC it would be the day before, west of Greenwich. */
export function asDate(moment: string): Date {
  return new Date(moment.length === 10 ? `${moment}T12:00:00` : moment);
}
