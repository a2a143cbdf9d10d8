// What a list can be filtered by, and the keys of a filter in the address.
import type { ComponentType } from "react";

export interface FilterChoice {
  /** The key in the address, which is also the server's. */
  key: string;
  label: string;
  /** With a heading, the list is called so while this is its only filter. */
  options: readonly { value: string; label: string; heading?: string }[];
  /** Typed instead of chosen; or several of the options, of which one must hold; or the days of a range. */
  input?: "number" | "text" | "several" | "days";
  /** Chooses the days, or one of many options, in place of the ticks. */
  Panel?: ComponentType<FilterPanelProps>;
}

/** The values of one filter by its keys in the address. */
export type FilterValues = Record<string, string | undefined>;

export interface FilterPanelProps {
  choice: FilterChoice;
  values: FilterValues;
  onChange: (values: FilterValues) => void;
}

/** The keys of a filter in the address: two of a range. */
export function keysOf({ key, input }: Pick<FilterChoice, "key" | "input">): string[] {
  return input === "days" ? [`${key}From`, `${key}To`] : [key];
}
