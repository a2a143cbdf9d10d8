// The texts of violations: generated from those of the server, so that both are equal. A code that is missing here shows the
// message of the server.
import type { Violation } from "../api/problem";
import { currentLanguage, t } from "../i18n";
import { formatList } from "../i18n/lazyFormats";
import en from "../i18n/problems.en.gen.json";
import es from "../i18n/problems.es.gen.json";
import type { UnreadableReason } from "./typed";

const catalogues: Record<"es" | "en", Record<string, string>> = { es, en };

/** `links[0].url` is answered by «links.url.CODE», «url.CODE» or «CODE», whichever is the closest. */
export function violationText({ field, code, arguments: values, message }: Violation): string {
  const texts = catalogues[currentLanguage()];
  const name = field.replace(/\[\d+\]/g, "");
  const last = name.split(".").at(-1);
  const unreadable = values?.unreadable as UnreadableReason | undefined;
  // How a date is written helps more than that it is wrong.
  if (unreadable === "NOT_A_DATE") return t("form.unreadable.NOT_A_DATE");
  const own = texts[`${name}.${code}`] ?? texts[`${last}.${code}`];
  if (!own && unreadable) return t(`form.unreadable.${unreadable}`);
  const text = own ?? texts[code];
  if (!text) return message ?? t("errors.unexpected");
  const filled = fill(text, values ?? {});
  // A hole that nothing fills would be shown as it is; then the server's sentence is the better one.
  return /\{\w+\}/.test(filled) ? (message ?? filled) : filled;
}

function fill(text: string, values: Record<string, unknown>): string {
  return text.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    if (value === undefined) return hole;
    return Array.isArray(value) ? formatList(value.map(String)) : String(value);
  });
}
