// Which field each column of a file is, and what rows get that have no value: as it is entered for one file.
import { Draft } from "../forms/draft";
import type { RowDefault } from "./DefaultValues";

export interface Matched {
  /** The field of each column; null for one that is left out. */
  columns: (string | null)[];
  defaults: RowDefault[];
}

const rule = {
  type: "object",
  properties: { columns: { type: "array" }, defaults: { type: "array" } },
} as const;

export const draftOfMatched = (begun: Matched): Draft<Matched> => new Draft(begun, rule);
