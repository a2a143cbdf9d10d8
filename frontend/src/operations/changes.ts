// What a bulk operation can change of the items of a list.
import type { ReactNode } from "react";
import type { ValueLabel } from "../history/valueLabels";
import type { BulkChange } from "./queries";

export interface ChoiceOption {
  value: string;
  label: string;
}

/** The value of an input, and what changes it. */
export interface ValueProps {
  values: string[];
  onChange: (values: string[]) => void;
}

export interface PossibleChange {
  key: string;
  label: string;
  /** One of these values, several of them, a value that is typed, a text that is replaced, or an input of its own. */
  input: "one" | "several" | "value" | "text" | ((props: ValueProps) => ReactNode);
  options: readonly ChoiceOption[];
  /** Of a value that is typed. */
  maxLength?: number;
  /** What else the chosen value does. */
  helpOf?: (value: string) => string | undefined;
  /** The change with these values; for a text, what is found and what takes its place. */
  with: (values: string[]) => BulkChange;
}

/** What was chosen in the form. */
export interface ChosenChange {
  key: string | null;
  values: string[];
}

/** The items that an operation is about. */
export interface BulkTarget {
  resource: string;
  possible: PossibleChange[];
  fieldLabel: (field: string) => string;
  /** Names of values beside those of the resource. */
  valueLabel?: ValueLabel;
  /** The queries that are stale once something was changed; the same from one rendering to the next. */
  queryKey: readonly unknown[];
}
