// Who changed a report, and when, by its history.
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { formatMoment } from "../../i18n/formats";
import { formatList } from "../../i18n/lazyFormats";

type HistoryEntry = components["schemas"]["HistoryEntry"];
type Changed = Pick<components["schemas"]["IssueReport"], "history" | "notes">;

export function whoOf({ by, byKind }: HistoryEntry): string {
  if (byKind === "IMPORT") return t("issues.history.import");
  if (byKind === "SERVER") return t("issues.history.server");
  return byKind === "KEY" ? t("issues.history.program", { name: by }) : by;
}

/** The newest change, or the newest one that wrote these notes: a merge of contents has a note that is none of the report's. */
export function lastChange(history: readonly HistoryEntry[] = [], notes?: string) {
  const entry = history.findLast(({ note }) => notes === undefined || note === notes);
  if (!entry) return undefined;
  const { by, byKind, date } = entry;
  return { name: whoOf(entry), date: formatMoment(date), username: byKind === "STAFF" ? by : undefined };
}

/** The fields that an entry changed, of notes only those that are there now. */
function fieldsOf(entry: HistoryEntry, notes: string | null) {
  const { statusTo, priorityTo, assignedFrom, assignedTo, note } = entry;
  const fields = [];
  if (statusTo) fields.push(t("issues.fields.status"));
  if (priorityTo) fields.push(t("issues.fields.priority"));
  if (assignedFrom ?? assignedTo) fields.push(t("issues.fields.assignedTo"));
  if (note && note === notes) fields.push(t("issues.fields.notes"));
  return fields;
}

/** Each author of changes after that time: what they changed, and when last. */
function authorsSince({ history, notes }: Changed, seen: string, reader: string): string[] {
  const authors = new Map<string, { fields: Set<string>; date: string }>();
  for (const entry of history) {
    if (Date.parse(entry.date) <= Date.parse(seen)) continue;
    const isReader = entry.byKind === "STAFF" && entry.by === reader;
    const name = isReader ? t("issues.conflictSelf") : whoOf(entry);
    const fields = authors.get(name)?.fields ?? new Set<string>();
    for (const field of fieldsOf(entry, notes)) fields.add(field);
    authors.set(name, { fields, date: formatMoment(entry.date) });
  }
  return [...authors].map(([name, { fields, date }]) =>
    fields.size > 0 ? `${name} (${[...fields].join(", ")}; ${date})` : `${name} (${date})`,
  );
}

/**
 * The authors of the changes to a report after the time of `seen`: another user, the reader in another tab, or several,
 * each with their fields.
 */
export function conflictText(report: Changed, seen: string | undefined, reader: string): string | undefined {
  const last = lastChange(report.history);
  if (!last) return undefined;
  const authors = seen === undefined ? [] : authorsSince(report, seen, reader);
  if (authors.length > 1) return t("issues.conflictSeveral", { changes: formatList(authors) });
  return last.username === reader ? t("issues.conflictOwn", last) : t("issues.conflictBy", last);
}
