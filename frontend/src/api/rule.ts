// What a form checks of one value: the parts of a JSON schema that the server publishes, and its own extensions.

export interface Rule {
  type?: string;
  nullable?: boolean;
  enum?: readonly unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  /** At most this many years after the current one. */
  maxYearsAhead?: number;
  schemes?: readonly string[];
  /** An address that is a numeric id when the field of this name says INTERNAL. */
  address?: string;
  /** Digits only. */
  numeric?: boolean;
  decimals?: number;
  /** A password: every character of it counts, blanks too, and nothing but the form may keep it. */
  secret?: boolean;
  /** Whether a value carries credentials: nothing but the form may keep it, either. */
  hasCredentials?: (value: unknown) => boolean;
  /** Has an upper-case letter, a lower-case letter and a digit. */
  mixed?: boolean;
  /** Further required fields, for as long as the field of this name holds none of these values. */
  unless?: { field: string; in: readonly unknown[]; rule: Rule };
  items?: Rule;
  required?: readonly string[];
  properties?: Readonly<Record<string, Rule>>;
}

export interface ObjectRule extends Rule {
  properties: Readonly<Record<string, Rule>>;
}
