// A draft while it is written: values, what is wrong with them, whether anything changed. Holds no React, so that
// a keystroke renders the field it belongs to and nothing else.
import type { Violation } from "../api/problem";
import type { Rule } from "../api/rule";
import { ruleAt, ruleFor, violationsOf } from "./rules";
import { Unreadable } from "./typed";

type Values = Record<string, unknown>;

/** A draft on its way: any field may still be empty. */
export type PartialDraft<D> = { [Name in keyof D]?: D[Name] | null | "" };

interface DraftOptions {
  /** Validates a field from its first change on; for small forms. */
  isEager?: boolean;
}

/** A dialog of a form, whose values come into the form's draft when it is saved. */
interface FormDialog {
  isChanged: () => boolean;
  /** The form is left with what was typed there, on purpose. */
  abandon: () => void;
}

export class Draft<D extends object = Values> {
  private values: PartialDraft<D>;
  private saved: string;
  private violations: ReadonlyMap<string, Violation> = new Map();
  private wasChecked = false;
  private readonly listeners = new Set<() => void>();
  private readonly dialogs = new Set<FormDialog>();

  constructor(
    initial: PartialDraft<D>,
    readonly rule: Rule,
    private readonly options: DraftOptions = {},
  ) {
    this.values = initial;
    this.saved = JSON.stringify(this.toPayload());
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  get(name: string): unknown {
    return (this.values as Values)[name];
  }

  /** What is sent: only what a draft has, without the blanks around texts, nothing where nothing was written. */
  toPayload(): D {
    const body: Values = {};
    for (const [name, rule] of Object.entries(this.rule.properties ?? {})) {
      const value = tidy(this.get(name), rule);
      if (value !== undefined && value !== null) body[name] = value;
      else if (rule.nullable) body[name] = null;
    }
    return body as D;
  }

  /** What may be kept somewhere else for a while: everything but secrets; what was emptied is null. */
  storableValues(): Values {
    const emptied = Object.keys(this.unchanged()).map((name) => [name, null]);
    const values = Object.entries({ ...Object.fromEntries(emptied), ...this.toPayload() });
    return Object.fromEntries(values.filter(([name]) => this.isStorable(name)));
  }

  /** The fields whose changes are in no copy of the draft. */
  leftOut(): string[] {
    const before = JSON.parse(this.saved) as Values;
    return Object.entries(this.toPayload())
      .filter(([name, value]) => !this.isStorable(name) && !isEqual(value, before[name]))
      .map(([name]) => name);
  }

  /** What nothing has changed from, without secrets. */
  unchanged(): Values {
    return Object.fromEntries(
      Object.entries(JSON.parse(this.saved) as Values).filter(([name]) => !this.isSecret(name)),
    );
  }

  /** What nothing has changed from, in one text: to be compared, never stored. */
  begun(): string {
    return this.saved;
  }

  /** Whether a body that was made of this draft, now or earlier, may have secrets. */
  mayHaveSecrets(): boolean {
    return Object.values(this.rule.properties ?? {}).some((rule) => rule.secret || rule.hasCredentials);
  }

  private isStorable(name: string): boolean {
    return !this.isSecret(name) && !(this.get(name) instanceof Unreadable);
  }

  /** The value that nothing has changed from is as secret as the one that is typed. */
  private isSecret(name: string): boolean {
    const rule = this.rule.properties?.[name];
    const { hasCredentials } = rule ?? {};
    if (!hasCredentials) return rule?.secret === true;
    return hasCredentials(this.get(name)) || hasCredentials((JSON.parse(this.saved) as Values)[name]);
  }

  set(name: string, value: unknown): void {
    this.values = { ...this.values, [name]: value };
    const before = this.violationOf(name);
    // After the first failed check, fields are validated while typing; before that, only on submit.
    if (this.wasChecked || before || this.options.isEager) this.validateField(name);
    for (const [other, { address, unless }] of Object.entries(this.rule.properties ?? {}))
      if ((address === name || unless?.field === name) && this.violationOf(other)) this.validateField(other);
    this.notify();
  }

  /** Sets several values at once: of a film that was looked up, of another user's version. */
  merge(values: PartialDraft<D>): void {
    this.values = { ...this.values, ...values };
    if (this.wasChecked) this.check();
    this.notify();
  }

  /** Starts anew: these values are what nothing has changed from, but for what was written meanwhile. */
  reset(values: PartialDraft<D>, meanwhile: PartialDraft<D> = {}): void {
    this.values = values;
    this.saved = JSON.stringify(this.toPayload());
    this.values = { ...values, ...meanwhile };
    this.violations = new Map();
    this.wasChecked = false;
    this.notify();
  }

  /** What was written since this was sent: a form that stays open keeps it when the answer arrives. */
  writtenSince(sent: D): PartialDraft<D> {
    const [before, now] = [sent as Values, this.toPayload() as Values];
    const names = Object.keys(this.rule.properties ?? {}).filter(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]),
    );
    return Object.fromEntries(names.map((name) => [name, this.get(name)])) as PartialDraft<D>;
  }

  /** Leaving a field that was written in is when its first judgement is welcome. */
  leave(name: string): void {
    const value = this.get(name);
    if (value === "" || value === null || value === undefined) return;
    this.validateField(name);
    this.notify();
  }

  check(): boolean {
    this.wasChecked = true;
    this.setErrors(violationsOf(this.rule, this.toPayload()));
    return this.violations.size === 0;
  }

  /** Takes what was found wrong, here or by the server. */
  setErrors(violations: readonly Violation[]): void {
    const first = new Map<string, Violation>();
    for (const violation of violations)
      if (!first.has(violation.field)) first.set(violation.field, violation);
    this.violations = first;
    this.wasChecked = true;
    this.notify();
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
    return JSON.stringify(this.toPayload()) !== this.saved;
  }

  /** Adds a dialog of the form. Answers how it is removed again. */
  addDialog(dialog: FormDialog): () => void {
    this.dialogs.add(dialog);
    return () => void this.dialogs.delete(dialog);
  }

  /** Whether leaving the form loses something, here or in an open dialog of it. */
  hasUnsavedChanges(): boolean {
    return this.isChanged() || [...this.dialogs].some(({ isChanged }) => isChanged());
  }

  /** The form is left on purpose: what was typed in its dialogs is not proposed again. */
  abandonDialogs(): void {
    for (const { abandon } of this.dialogs) abandon();
  }

  isRequired(name: string): boolean {
    const field = ruleAt(this.rule, name);
    return (this.rule.required?.includes(name) ?? false) && !field?.nullable && field?.type !== "boolean";
  }

  private validateField(name: string): void {
    const own = this.rule.properties?.[name];
    const rule = own && ruleFor(own, this.values as Values);
    const rest = new Map([...this.violations].filter(([field]) => field !== name && !isInside(field, name)));
    const found = rule
      ? violationsOf(rule, tidy(this.get(name), rule), name, this.rule.required?.includes(name))
      : [];
    for (const violation of found) if (!rest.has(violation.field)) rest.set(violation.field, violation);
    this.violations = rest;
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Blanks around a text are slips of the hand; an empty text is no text. */
function tidy(value: unknown, rule: Rule): unknown {
  if (typeof value !== "string" || (rule.secret && value !== "")) return value;
  return value.trim() === "" ? undefined : value.trim();
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

function isInside(field: string, name: string): boolean {
  return field.startsWith(`${name}[`) || field.startsWith(`${name}.`);
}
