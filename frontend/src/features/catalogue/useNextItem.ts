// The item after the one that is edited, in the list that its form was opened from. The order is the one in which the
// rows were shown: saving one may move it, or take it out of the list's filter.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import type { Kind } from "../../access/kinds";
import { paths } from "../../routing/paths";
import { type ListState, listStateOf } from "../../ui/list/listQuery";
import { rememberedListState, rememberListState } from "../../ui/list/listState";
import type { ContentDefinition } from "./define";
import { listDefaults } from "./listDefaults";
import { contentQueries } from "./queries";

/** Opens the next item; undefined at the end of the list, or when the form was opened from elsewhere. */
export function useNextItem<K extends Kind>(
  definition: ContentDefinition<K>,
  id: number,
): (() => void) | undefined {
  const { kind } = definition;
  const client = useQueryClient();
  const navigate = useNavigate();
  const left = rememberedListState(kind);
  const isFromList = left?.row === String(id) && left.address.split("?")[0] === paths.contents(kind);
  const { data: queue } = useQuery({
    // Not among the lists: what they forget after a change must not reorder this.
    queryKey: ["contents", kind, "queue", id, left?.address],
    queryFn: () => queueAfter(client, kind, id, left?.queue ?? [], stateAt(kind, left?.address ?? "")),
    enabled: isFromList,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const next = queue?.[queue.indexOf(id) + 1];
  if (!left || !queue || next === undefined || !queue.includes(id)) return undefined;
  return () => {
    rememberListState(kind, { ...left, row: String(next), queue });
    navigate(paths.editContent(kind, next));
    window.scrollTo?.(0, 0);
  };
}

/**
 * The ids in order, with one after this id where there is one. Those that are not known yet come after those that are: of
 * the pages that the known ones would fill, some may be gone, because saving took their rows out of the list.
 */
async function queueAfter<K extends Kind>(
  client: QueryClient,
  kind: K,
  id: number,
  known: readonly number[],
  state: ListState,
): Promise<number[]> {
  const queue = [...known];
  const isComplete = () => queue.includes(id) && queue.at(-1) !== id;
  if (isComplete()) return queue;
  const rowsOf = async (page: number) =>
    (await client.fetchQuery(contentQueries.list(kind, { ...state, page }))).content;
  // The last page that has a known row.
  let page = state.page;
  let last = state.page + Math.floor(known.length / state.size);
  while (page < last) {
    const middle = Math.ceil((page + last) / 2);
    if ((await rowsOf(middle)).some((row) => known.includes(row.id))) page = middle;
    else last = middle - 1;
  }
  for (; ; page += 1) {
    const rows = await rowsOf(page);
    for (const row of rows) if (!queue.includes(row.id)) queue.push(row.id);
    if (isComplete() || rows.length < state.size) return queue;
  }
}

/** The list's state, read from its address. */
function stateAt(kind: Kind, address: string): ListState {
  const query = new URLSearchParams(address.split("?")[1] ?? "");
  const filters = [...query.keys()].filter((key) => !["page", "size", "sort", "search"].includes(key));
  return listStateOf(query, listDefaults(kind, filters));
}
