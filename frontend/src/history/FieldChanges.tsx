// Fields that changed: each with its value before and after.
import { textAt } from "../i18n";
import "./history.css";

export interface FieldLabels {
  /** The name of a field, in the reader's language. */
  fieldLabel: (field: string) => string;
  /** The name of a value: a category's, an enumeration's. */
  valueLabel?: (field: string, value: unknown) => string | undefined;
}

type Values = Record<string, unknown>;

interface FieldChangesProps extends FieldLabels {
  before: Values;
  after: Values;
}

export function FieldChanges({ before, after, fieldLabel, valueLabel }: FieldChangesProps) {
  const shown = (field: string, value: unknown) => valueLabel?.(field, value) ?? valueText(value);
  return Object.keys(after).map((field) => {
    const [old, now] = differing(before[field], after[field]);
    return (
      <span key={field} className="field-change">
        <span className="quiet">{fieldLabel(field)}</span> <del>{shown(field, old)}</del>{" "}
        <span aria-hidden="true">→</span> <ins>{shown(field, now)}</ins>
      </span>
    );
  });
}

/** Of two lists of links, the parts in which they differ; any other values as they are. */
function differing(before: unknown, after: unknown): [unknown, unknown] {
  if (!isLinks(before) || !isLinks(after)) return [before, after];
  const parts = (links: Link[]) => links.map(({ url, quality }) => `${quality ?? ""} ${url ?? ""}`.trim());
  const [old, now] = [parts(before), parts(after)];
  const changed = [...old.keys()].filter((index) => old[index] !== now[index]);
  return [changed.map((index) => old[index]), changed.map((index) => now[index])];
}

interface Link {
  url?: string;
  quality?: string;
}

function isLinks(value: unknown): value is Link[] {
  return Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
}

/** A value that has no name of its own. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "—";
  if (typeof value === "boolean") return textAt(value ? "common.yes" : "common.no");
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(", ") : "—";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
