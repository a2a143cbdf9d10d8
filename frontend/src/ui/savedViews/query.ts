// What of a list's address is a view of it: everything but the page.

/** Lists that no menu opens: none of their views is what a menu leads to. */
export const listsWithoutMenu: readonly string[] = [
  "episodes",
  "issue-groups",
  "playlist-changes",
  "seasons",
  "webhook-log",
];

/** The query of a view, from that of the address. */
export function viewQuery(search: string, size: number): string {
  const query = new URLSearchParams(search);
  query.delete("page");
  query.set("size", String(size));
  query.sort();
  return query.toString();
}

/** Whether the address shows what the view shows. */
export function isShown(view: string, search: string, size: number): boolean {
  return viewQuery(view, sizeOf(view) ?? size) === viewQuery(search, size);
}

function sizeOf(query: string): number | undefined {
  const size = new URLSearchParams(query).get("size");
  return size === null ? undefined : Number(size);
}

/** Whether the list hides what the view hides; one without columns fits any. */
export function hasColumns(
  { hiddenColumns }: { hiddenColumns?: readonly string[] | null },
  hidden: readonly string[],
): boolean {
  return !hiddenColumns || [...hiddenColumns].sort().join() === [...hidden].sort().join();
}
