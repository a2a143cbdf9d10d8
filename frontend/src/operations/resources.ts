// How the kinds of items that operations change are called.
import { kinds } from "../access/kinds";
import { textAt } from "../i18n";
import { paths } from "../routing/paths";

/** The title of the list of a kind of items, by the path that operations name it by. */
export function resourceName(resource: string): string {
  return textAt(`pages.${resource === "issue-reports" ? "issues" : resource}`);
}

/** Where an item is edited, or the page of a user; undefined where its address needs more than its id. */
export function placeOf(resource: string, id: number | string): string | undefined {
  if (resource === "users") return paths.user(String(id));
  if (resource === "issue-reports") return `${paths.issues}?tab=all&report=${id}`;
  return (kinds as readonly string[]).includes(resource) ? paths.editContent(resource, id) : undefined;
}
