// What people type as a date or a number, read strictly: one meaning or none. What has none stays in the field as it
// was typed, with an error; it never becomes another value, nor silently nothing.
import { currentLanguage, type Language } from "../i18n";

export type UnreadableReason = "NOT_A_DATE" | "NOT_WHOLE" | "NOT_A_NUMBER" | "AMBIGUOUS";

/** A value of a draft that is no value: the text that was typed, and why it cannot be read. */
export class Unreadable {
  constructor(
    readonly text: string,
    readonly reason: UnreadableReason,
  ) {}
}

/** How dates are written back, in the notation of dayjs. English has no single order of day and month: there it is ISO. */
export const dayFormats: Record<Language, string> = { es: "DD/MM/YYYY", en: "YYYY-MM-DD" };
export const dayExamples: Record<Language, string> = { es: "31/12/2026", en: "2026-12-31" };

/** Two-digit years from here on are of the last century. */
const firstOfLastCentury = 70;

/**
 * `2026-12-31`, or nothing. Both languages take the year first; Spanish also the day first, with `/`, `-` or `.`, with or
 * without zeros, with a year of four digits or two.
 */
export function parseDay(text: string, language: Language = currentLanguage()): string | undefined {
  const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text.trim());
  if (yearFirst) return existingDay(Number(yearFirst[1]), Number(yearFirst[3]), Number(yearFirst[4]));
  const dayFirst = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text.trim());
  if (!dayFirst || language !== "es") return undefined;
  return existingDay(fullYear(dayFirst[4] as string), Number(dayFirst[3]), Number(dayFirst[1]));
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year >= firstOfLastCentury ? 1900 + year : 2000 + year;
}

function existingDay(year: number, month: number, day: number): string | undefined {
  const padded = (value: number, length: number) => String(value).padStart(length, "0");
  const text = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined;
}

/** A whole number in digits and nothing else; null for an empty field. */
export function parseInteger(text: string): number | null | Unreadable {
  const typed = text.trim();
  if (typed === "") return null;
  const value = Number(typed);
  return /^-?\d+$/.test(typed) && Number.isSafeInteger(value) ? value : new Unreadable(text, "NOT_WHOLE");
}

/**
 * A number with one decimal separator, comma or point. Thousands are not grouped: three digits behind a separator, or two
 * separators, could mean either, and are refused.
 */
export function parseDecimal(text: string): number | null | Unreadable {
  const typed = text.trim();
  if (typed === "") return null;
  if (/^-?\d+[.,]\d{3}$/.test(typed) || /^-?\d+([.,]\d+){2,}$/.test(typed))
    return new Unreadable(text, "AMBIGUOUS");
  if (!/^-?\d+([.,]\d+)?$/.test(typed)) return new Unreadable(text, "NOT_A_NUMBER");
  return Number(typed.replace(",", "."));
}

/** A number as a field shows it: with the language's separator and no groups. */
export function numberText(value: number, language: Language = currentLanguage()): string {
  const text = String(value);
  return language === "es" ? text.replace(".", ",") : text;
}
