// How the kinds of items that operations change are called.
import { hasText, textAt } from "../i18n";

/** The title of the list of a kind of items, by the path that operations name it by. */
export function resourceName(resource: string): string {
  // Seasons and episodes have no page of their own.
  const own = `operations.kinds.${resource}`;
  if (hasText(own)) return textAt(own);
  return textAt(`pages.${resource === "issue-reports" ? "issues" : resource}`);
}
