// Changed fields: each with its value before and after, with the labels of the screens.
import { textAt } from "../i18n";
import "./history.css";
import { useValueLabel, type ValueLabel, valueText } from "./valueLabels";

export interface FieldLabels {
  /** The name of a field, in the reader's language. */
  fieldLabel: (field: string) => string;
  /** Names of values that only this screen has; all others are those of the resource. */
  valueLabel?: ValueLabel;
}

type Values = Record<string, unknown>;

interface FieldChangesProps extends FieldLabels {
  /** What was changed, by the path of the API: of it, values have their names. */
  resource: string;
  before: Values;
  after: Values;
}

export function FieldChanges({ resource, before, after, fieldLabel, valueLabel }: FieldChangesProps) {
  // What was deleted has values before alone.
  const fields = Object.keys({ ...before, ...after });
  const nameOf = useValueLabel(resource, fields);
  const shown: Shown = (field, value) =>
    valueLabel?.(field, value) ?? nameOf(field, value) ?? valueText(value);
  return fields.map((field) => {
    const [old, now] = differing(field, before[field], after[field], shown);
    return (
      <span key={field} className="field-change">
        <span className="quiet">{fieldLabel(field)}</span> <del>{shown(field, old)}</del>{" "}
        <span aria-hidden="true">→</span> <ins>{shown(field, now)}</ins>
      </span>
    );
  });
}

export type Shown = (field: string, value: unknown) => string;

/** Of two lists of links or the like, the parts in which they differ; any other values as they are. */
export function differing(field: string, before: unknown, after: unknown, shown: Shown): [unknown, unknown] {
  if (!isParts(before ?? []) || !isParts(after ?? [])) return [before, after];
  const [old, now] = [keyed((before ?? []) as Values[]), keyed((after ?? []) as Values[])];
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  const isSame = (key: unknown) => JSON.stringify(old.get(key)) === JSON.stringify(now.get(key));
  const changed = keys.filter((key) => !isSame(key));
  const shownOfPart: Shown = (name, value) => shown(`${field}.${name}`, value);
  const texts = (of: Map<unknown, Values>, others: Map<unknown, Values>) =>
    changed.flatMap((key) => {
      const part = of.get(key);
      return part ? [partText(part, others.get(key), shownOfPart)] : [];
    });
  return [texts(old, now), texts(now, old)];
}

/** What a part is, and what of it is another than before. */
function partText(part: Values, other: Values | undefined, shown: Shown): string {
  const { quality, url, ...rest } = part;
  const names = Object.entries({ quality, url })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => shown(name, value));
  const isOther = (name: string) => other && JSON.stringify(part[name]) !== JSON.stringify(other[name]);
  // The time of a link's change is shown only where nothing else of it was changed.
  const isChanged = Object.keys({ ...other, ...part }).some(
    (name) => name !== "updatedDate" && isOther(name),
  );
  const details = Object.keys(rest)
    .filter((name) => (names.length === 0 && name !== "id") || isOther(name))
    .filter((name) => name !== "updatedDate" || !isChanged);
  const texts = details.map((name) =>
    name === "active" ? textAt(`status.${part.active ? "active" : "inactive"}`) : shown(name, part[name]),
  );
  return [...names, ...(texts.length > 0 && names.length > 0 ? [`(${texts.join(", ")})`] : texts)].join(" ");
}

/** Parts by their ids, or by their places. */
function keyed(parts: Values[]): Map<unknown, Values> {
  return new Map(parts.map((part, index) => [part.id ?? index, part]));
}

function isParts(value: unknown): value is Values[] {
  return Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
}
