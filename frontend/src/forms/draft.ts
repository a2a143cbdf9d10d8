// A draft while it is written: values, what is wrong with them, whether anything changed. Holds no React, so that
// a keystroke renders the field it belongs to and nothing else.
import type { Violation } from "../api/problem";
import { type Rule, ruleAt, violationsOf } from "./rules";

type Values = Record<string, unknown>;

export class Draft<D extends object = Values> {
  private values: D;
  private saved: string;
  private violations: ReadonlyMap<string, Violation> = new Map();
  private wasChecked = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    initial: D,
    readonly rule: Rule,
  ) {
    this.values = initial;
    this.saved = JSON.stringify(initial);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  get(name: string): unknown {
    return (this.values as Values)[name];
  }

  current(): D {
    return this.values;
  }

  set(name: string, value: unknown): void {
    this.values = { ...this.values, [name]: value };
    const before = this.violationOf(name);
    // Once something was found wrong the field is judged as it is typed; before that, writing is left in peace.
    if (this.wasChecked || before) this.judge(name);
    this.tell();
  }

  /** Takes several values at once: a film that was looked up, somebody else's version. */
  merge(values: Partial<D>): void {
    this.values = { ...this.values, ...values };
    if (this.wasChecked) this.check();
    this.tell();
  }

  /** Starts anew: these values are what nothing has changed from. */
  reset(values: D): void {
    this.values = values;
    this.saved = JSON.stringify(values);
    this.violations = new Map();
    this.wasChecked = false;
    this.tell();
  }

  /** Leaving a field that was written in is when its first judgement is welcome. */
  leave(name: string): void {
    const value = this.get(name);
    if (value === "" || value === null || value === undefined) return;
    this.judge(name);
    this.tell();
  }

  check(): boolean {
    this.wasChecked = true;
    this.accuse(violationsOf(this.rule, this.values));
    return this.violations.size === 0;
  }

  /** Takes what was found wrong, here or by the server. */
  accuse(violations: readonly Violation[]): void {
    const first = new Map<string, Violation>();
    for (const violation of violations) if (!first.has(violation.field)) first.set(violation.field, violation);
    this.violations = first;
    this.wasChecked = true;
    this.tell();
  }

  /** What is wrong with a field, or the first thing inside it: `links[0].url` speaks for `links`. */
  violationOf(name: string): Violation | undefined {
    const own = this.violations.get(name);
    if (own) return own;
    for (const [field, violation] of this.violations)
      if (field.startsWith(`${name}[`) || field.startsWith(`${name}.`)) return violation;
    return undefined;
  }

  allViolations(): Violation[] {
    return [...this.violations.values()];
  }

  isChanged(): boolean {
    return JSON.stringify(this.values) !== this.saved;
  }

  isRequired(name: string): boolean {
    const field = ruleAt(this.rule, name);
    return (this.rule.required?.includes(name) ?? false) && !field?.nullable && field?.type !== "boolean";
  }

  private judge(name: string): void {
    const rule = this.rule.properties?.[name];
    const rest = new Map([...this.violations].filter(([field]) => field !== name && !isInside(field, name)));
    const found = rule ? violationsOf(rule, this.get(name), name, this.rule.required?.includes(name)) : [];
    for (const violation of found) if (!rest.has(violation.field)) rest.set(violation.field, violation);
    this.violations = rest;
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function isInside(field: string, name: string): boolean {
  return field.startsWith(`${name}[`) || field.startsWith(`${name}.`);
}
