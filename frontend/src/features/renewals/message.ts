// A message to a customer: a template filled with their values, in their language and not in the reader's, and the
// addresses that send it.
import { privateKey } from "../../access/privateStorage";
import { type Language, languages } from "../../i18n";
import { serviceZone } from "../../i18n/serviceZone";
import { local } from "../../storage";
import type { Customer, Message } from "./queries";

const locales = { es: "es-ES", en: "en-GB" } as const;
/** Before the end of a subscription: one that is over, and one that is not. */
const endWords = { es: ["venció el", "vence el"], en: ["ended on", "ends on"] } as const;
const monthWords = { es: ["mes", "meses"], en: ["month", "months"] } as const;

type Recipient = Pick<Customer, "fullName" | "username" | "expirationDate">;

/** Whether a message says nothing of a customer that is not there: the end of a subscription without one. */
export function fits(message: Message, { expirationDate }: Pick<Recipient, "expirationDate">): boolean {
  return !!expirationDate || !/\{(end|expires)\}/.test(message.spanish + message.english);
}

/** Without a number of months their variable stays in the text. */
export function filled(
  template: string,
  to: Recipient,
  months: number | undefined,
  language: Language,
  now = Date.now(),
): string {
  const [one, several] = monthWords[language];
  const ending = to.expirationDate ? new Date(to.expirationDate) : undefined;
  const end =
    ending &&
    new Intl.DateTimeFormat(locales[language], { dateStyle: "long", timeZone: serviceZone() }).format(ending);
  const [past, ahead] = endWords[language];
  const values: Record<string, string | undefined> = {
    name: to.fullName,
    username: to.username,
    end,
    expires: ending && `${ending.getTime() < now ? past : ahead} ${end}`,
    months: months === undefined ? undefined : `${months} ${months === 1 ? one : several}`,
  };
  return template.replace(/\{(\w+)\}/g, (variable, name: string) => values[name] ?? variable);
}

export function whatsAppAddress({ digits }: { digits: string }, text: string): string {
  return `https://wa.me/${digits}?text=${encodeURIComponent(text)}`;
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
