// How the kinds of items that operations change are called.
import { textAt } from "../i18n";

/** The title of the list of a kind of items, by the path that operations name it by. */
export function resourceName(resource: string): string {
  return textAt(`pages.${resource === "issue-reports" ? "issues" : resource}`);
}
