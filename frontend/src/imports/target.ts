// Into which list a spreadsheet is imported.
import type { Resource } from "../api/resources";
import type { ValueLabel } from "../history/valueLabels";

export interface ImportTarget {
  /** What its rows are. */
  resource: Resource | "users";
  /** Fields that new rows need and files often lack: a value for all of them is asked for where no column has it. */
  oftenMissing?: readonly string[];
  /** Values that new rows get where no column of the file has them, unless the user says otherwise. */
  defaults?: readonly { key: string; value: string }[];
  /** What is said before a file is chosen, beside what all imports have in common. */
  note?: string;
  /** The lists that are read again once rows were imported. */
  lists: readonly unknown[];
  /** The name of a field, in the reader's language. */
  fieldLabel: (field: string) => string;
  /** Names of values beside those of the resource. */
  valueLabel?: ValueLabel;
}
