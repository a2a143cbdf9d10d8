// A message to a customer: a template filled with their values, in their language and not in the reader's, and the
// addresses that send it.
import { privateKey } from "../../access/privateStorage";
import { type Language, languages } from "../../i18n";
import { serviceZone } from "../../i18n/formats";
import { local } from "../../storage";
import type { Customer, Message } from "./queries";

const locales = { es: "es-ES", en: "en-GB" } as const;
const monthWords = { es: ["mes", "meses"], en: ["month", "months"] } as const;

type Recipient = Pick<Customer, "fullName" | "username" | "expirationDate">;

/** Whether a message says nothing of a customer that is not there: the end of a subscription without one. */
export function fits(message: Message, { expirationDate }: Pick<Recipient, "expirationDate">): boolean {
  return !!expirationDate || !`${message.spanish}${message.english}`.includes("{end}");
}

/** Without a number of months their variable stays in the text. */
export function filled(
  template: string,
  to: Recipient,
  months: number | undefined,
  language: Language,
): string {
  const [one, several] = monthWords[language];
  const values: Record<string, string | undefined> = {
    name: to.fullName,
    username: to.username,
    end: to.expirationDate
      ? new Intl.DateTimeFormat(locales[language], { dateStyle: "long", timeZone: serviceZone() }).format(
          new Date(to.expirationDate),
        )
      : undefined,
    months: months === undefined ? undefined : `${months} ${months === 1 ? one : several}`,
  };
  return template.replace(/\{(\w+)\}/g, (variable, name: string) => values[name] ?? variable);
}

/** Codes after which a number keeps its leading 0: `KEEPING_ZERO` in crates/domain-users/src/phone.rs. */
const keepingZero = ["39", "225", "229", "242", "378"];

/** Digits with which a number without plus has its calling code already. */
const leastInternationalDigits = 11;

/**
 * `wa.me` takes the digits of an international number, without plus or zeros before it. A national number gets the
 * calling code of the service's country, as do the searches of the server (crates/domain-users/src/phone.rs); without that
 * code it has no address.
 */
export function whatsAppAddress(
  phoneNumber: string,
  text: string,
  countryCallingCode: string | null | undefined,
): string | undefined {
  const digits = internationalDigits(phoneNumber, countryCallingCode);
  return digits ? `https://wa.me/${digits}?text=${encodeURIComponent(text)}` : undefined;
}

/** Whether a number is without the plus or the zeros of an international one. */
export function lacksPrefix(phoneNumber: string): boolean {
  return !/^[\s(]*\+/.test(phoneNumber) && !digitsOf(phoneNumber).startsWith("00");
}

const digitsOf = (phoneNumber: string) => phoneNumber.replace(/\D/g, "");

function internationalDigits(phoneNumber: string, code: string | null | undefined): string | undefined {
  const digits = digitsOf(phoneNumber).replace(/^00/, "");
  const isLong = digits.length >= leastInternationalDigits;
  if (!lacksPrefix(phoneNumber)) {
    const isOfCountry = code && digits.startsWith(code);
    return isOfCountry ? code + withoutTrunk(digits.slice(code.length), code) : digits;
  }
  if (!code) return isLong ? digits : undefined;
  if (isLong && digits.startsWith(code)) return code + withoutTrunk(digits.slice(code.length), code);
  return digits && code + withoutTrunk(digits, code);
}

/** Without the 0 that is dialled within the country. */
function withoutTrunk(national: string, code: string): string {
  return keepingZero.includes(code) ? national : national.replace(/^0/, "");
}

export function mailAddress(email: string, subject: string, text: string): string {
  const to = encodeURIComponent(email).replace("%40", "@");
  return `mailto:${to}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`;
}

/** Customers whose language is remembered at most. */
const mostRemembered = 500;
const key = (caller: string) => privateKey(caller, "renewal languages");

function remembered(caller: string): [string, Language][] {
  const kept = local.read<[string, Language][]>(key(caller)) ?? [];
  return kept.filter(([, language]) => languages.includes(language));
}

/** The language in which a customer who has none was last written to, in this browser by this user. */
export function languageOf(caller: string, customer: string): Language | undefined {
  return remembered(caller).find(([username]) => username === customer)?.[1];
}

export function rememberLanguage(caller: string, customer: string, language: Language): void {
  const others = remembered(caller).filter(([username]) => username !== customer);
  local.write(key(caller), [[customer, language], ...others].slice(0, mostRemembered));
}
