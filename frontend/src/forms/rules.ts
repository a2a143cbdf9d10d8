// A small interpreter of the rules that the server publishes: finds what is wrong with a draft before it is sent,
// in the server's own codes. The server has the last word; nothing here may be stricter than it.
import type { Violation } from "../api/problem";
import type { Rule } from "../api/rule";
import { Unreadable } from "./typed";

type Found = Pick<Violation, "code" | "arguments">;

/** Everything wrong with a value, at every depth, each with its path. */
export function violationsOf(rule: Rule, value: unknown, path = "", isRequired = false): Violation[] {
  if (isMissing(value))
    return isRequired && !(rule.nullable && value === null) ? [at(path, { code: "REQUIRED" })] : [];
  const own = firstBroken(rule, value);
  if (own) return [at(path, own)];
  if (Array.isArray(value)) {
    const { items } = rule;
    return items ? value.flatMap((item, index) => violationsOf(items, item, `${path}[${index}]`, true)) : [];
  }
  if (rule.properties && typeof value === "object") {
    const values = value as Record<string, unknown>;
    return Object.entries(rule.properties).flatMap(([name, property]) =>
      violationsOf(
        ruleFor(property, values),
        values[name],
        path ? `${path}.${name}` : name,
        rule.required?.includes(name),
      ),
    );
  }
  return [];
}

/** A rule that depends on what is beside it, as it is for these values. */
export function ruleFor(rule: Rule, values: Readonly<Record<string, unknown>>): Rule {
  if (rule.unless && !rule.unless.in.includes(values[rule.unless.field]))
    return { ...rule, ...rule.unless.rule };
  if (!rule.address) return rule;
  const { schemes, ...rest } = rule;
  return values[rule.address] === "INTERNAL" ? { ...rest, numeric: true } : { ...rest, schemes };
}

/** Whether the value is that of an empty field. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function at(field: string, found: Found): Violation {
  return { field, ...found };
}

function firstBroken(rule: Rule, value: unknown): Found | undefined {
  if (value instanceof Unreadable) return { code: "WRONG_TYPE", arguments: { unreadable: value.reason } };
  if (rule.type && !isOfType(rule.type, value))
    return { code: "WRONG_TYPE", arguments: { expected: rule.type } };
  if (rule.enum && !rule.enum.includes(value))
    return { code: "UNKNOWN_VALUE", arguments: { allowed: rule.enum } };
  if (typeof value === "string") return brokenText(rule, value);
  if (typeof value === "number") return brokenNumber(rule, value);
  if (Array.isArray(value)) {
    if (rule.minItems !== undefined && value.length < rule.minItems)
      return { code: "TOO_FEW", arguments: { min: rule.minItems } };
    if (rule.maxItems !== undefined && value.length > rule.maxItems)
      return { code: "TOO_MANY", arguments: { max: rule.maxItems } };
  }
  return undefined;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object";
    default:
      // The schema's names for the rest are JavaScript's own.
      return typeof value === type;
  }
}

function brokenText(rule: Rule, value: string): Found | undefined {
  // The server counts characters, not the halves that JavaScript keeps some of them in.
  const length = [...value].length;
  if (rule.minLength !== undefined && length < rule.minLength)
    return { code: length === 0 ? "REQUIRED" : "TOO_SHORT", arguments: { min: rule.minLength } };
  if (rule.maxLength !== undefined && length > rule.maxLength)
    return { code: "TOO_LONG", arguments: { max: rule.maxLength } };
  if (rule.numeric && !/^\d{1,18}$/.test(value)) return { code: "NOT_NUMERIC" };
  if (rule.format === "uri" || rule.schemes) return brokenAddress(rule, value);
  if (rule.format === "date" && !isDay(value)) return { code: "INVALID_DATE" };
  if (rule.format === "email" && !email.test(value)) return { code: "INVALID_FORMAT" };
  if (rule.mixed && !isMixed(value)) return { code: "WEAK_PASSWORD", arguments: { min: rule.minLength } };
  if (rule.pattern && !new RegExp(rule.pattern, "u").test(value)) return { code: "INVALID_FORMAT" };
  return undefined;
}

/** Validates the part before the @ as the server does; only the server validates the domain. */
const email = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[^\s@]+$/i;

function isMixed(text: string): boolean {
  return /\p{Uppercase}/u.test(text) && /\p{Lowercase}/u.test(text) && /[0-9]/.test(text);
}

function brokenAddress({ schemes }: Rule, value: string): Found | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(value)?.[1]?.toLowerCase();
  const isAddress =
    scheme !== undefined && !/\s/.test(value) && URL.canParse(value) && value.length > scheme.length + 3;
  const named = scheme ?? /^([a-z][a-z0-9+.-]*):/i.exec(value)?.[1]?.toLowerCase();
  if (schemes && named && !schemes.includes(named) && URL.canParse(value))
    return { code: "INVALID_SCHEME", arguments: { allowed: schemes } };
  return isAddress ? undefined : { code: "INVALID_URL" };
}

function brokenNumber(rule: Rule, value: number): Found | undefined {
  if (rule.minimum !== undefined && value < rule.minimum)
    return { code: "TOO_SMALL", arguments: { min: rule.minimum } };
  const latest = rule.maxYearsAhead === undefined ? undefined : new Date().getFullYear() + rule.maxYearsAhead;
  const max = Math.min(rule.maximum ?? Number.POSITIVE_INFINITY, latest ?? Number.POSITIVE_INFINITY);
  if (value > max) return { code: "TOO_LARGE", arguments: { max } };
  if (rule.decimals !== undefined && !isRoundedTo(rule.decimals, value))
    return { code: "TOO_PRECISE", arguments: { decimals: rule.decimals } };
  return undefined;
}

function isRoundedTo(decimals: number, value: number): boolean {
  return Number(value.toFixed(decimals)) === value;
}

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** The rule for one field of a draft, by the path that violations use. */
export function ruleAt(rule: Rule, path: string): Rule | undefined {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<Rule | undefined>((at, step) => (/^\d+$/.test(step) ? at?.items : at?.properties?.[step]), rule);
}
