// Where what an entry of the audit log is about can be seen: not in `paths`, which come with the first download.
import { isKind } from "../../access/kinds";
import type { AuditEntry } from "../../api/resourceItems";
import { mayBeUsername } from "../../forms/username";
import { operationPath } from "../../history/operationPath";
import { paths } from "../../routing/paths";
import { numberInAddress } from "../../ui/list/listQuery";

/** All entries about one item, also about one that is gone. */
export const entriesPath = (resource: string, item: string) =>
  `${paths.audit}?${new URLSearchParams({ resource, item })}`;

/** What has an id and a page, beside content. */
const others: Record<string, (id: number) => string> = {
  operations: operationPath,
  webhooks: paths.webhook,
  "playlist-sources": paths.playlist,
  "issue-reports": (id) => `${paths.issues}?tab=all&report=${id}`,
};

/** The form or page of what an entry is about, unless it has none or was deleted by what the entry records. */
export function itemPath({ resource, item, title, action }: AuditEntry): string | undefined {
  if (!item || action === "DELETED") return undefined;
  if (resource === "users") return mayBeUsername(title) ? paths.user(title) : undefined;
  const id = numberInAddress(item);
  if (id === undefined) return undefined;
  return isKind(resource) ? paths.editContent(resource, id) : others[resource]?.(id);
}
