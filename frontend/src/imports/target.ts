// Into which list a spreadsheet is imported.
import type { Resource } from "../api/resources";
import type { ValueLabel } from "../history/valueLabels";

export interface ImportTarget {
  /** What its rows are. */
  resource: Resource | "users";
  /** Fields that new rows need and files often lack: without a column, the user enters one value for all rows. */
  oftenMissing?: readonly string[];
  /** Values that new rows get where no column of the file has them, unless the user says otherwise. */
  defaults?: readonly { key: string; value: string }[];
  /** The introduction before a file is chosen, beside the one that all imports share. */
  note?: string;
  /** The lists that are read again once rows were imported. */
  lists: readonly unknown[];
  /** The name of a field, in the reader's language. */
  fieldLabel: (field: string) => string;
  /** Names of values beside those of the resource. */
  valueLabel?: ValueLabel;
}
