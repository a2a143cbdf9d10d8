// The channels of a line-up: those that get numbers, and all others, whose numbers may be in use.
import { getList } from "../../../api/resources";
import type { OperationRequest } from "../../../operations/queries";
import { categoryOf } from "../define";
import type { Channel } from "./lineup";

/** The most channels that an operation numbers. */
export const mostChannels = 10_000;
const pageSize = 1000;

interface LineupChannels {
  all: Channel[];
  /** The channels that get numbers; more than `mostChannels` if an operation cannot number them all. */
  chosen: Channel[];
}

export async function readLineup(
  { ids, filter }: Pick<OperationRequest, "ids" | "filter">,
  signal: AbortSignal,
): Promise<LineupChannels> {
  const all = await readChannels({}, Number.POSITIVE_INFINITY, signal);
  if (ids) {
    const wanted = new Set(ids);
    return { all, chosen: all.filter(({ id }) => wanted.has(id)) };
  }
  const filters = filter ?? {};
  const isWhole = Object.keys(filters).length === 0;
  return { all, chosen: isWhole ? all : await readChannels(filters, mostChannels + 1, signal) };
}

/** The matching channels, ordered by number, up to a limit. */
async function readChannels(filter: object, most: number, signal: AbortSignal): Promise<Channel[]> {
  const found: Channel[] = [];
  for (let page = 0; found.length < most; page++) {
    const query = { ...filter, _page: page, _size: pageSize, _sort: "+channelNumber" };
    const { content, totalPages } = await getList("tv-channels", query, signal);
    for (const row of content)
      found.push({
        id: row.id,
        title: row.title,
        channelNumber: row.channelNumber,
        category: categoryOf(row),
      });
    if (page + 1 >= totalPages) break;
  }
  return found;
}
