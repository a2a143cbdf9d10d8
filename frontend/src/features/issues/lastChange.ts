// Who changed a report last, and when, by its history.
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { formatMoment } from "../../i18n/formats";

type HistoryEntry = components["schemas"]["HistoryEntry"];

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

/** Says who changed a report first: the reader, in another tab, or somebody else. */
export function conflictText(last: NonNullable<ReturnType<typeof lastChange>>, reader: string): string {
  return last.username === reader ? t("issues.conflictOwn", last) : t("issues.conflictBy", last);
}
