// Which rows of a list of repeated numbers, or of those that are not, no longer belong there: one that got another number,
// and the one whose number it had. What is on other pages, only the server knows.
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { Kind } from "../../access/kinds";
import { freshness } from "../../api/queryClient";
import { getList } from "../../api/resources";
import type { FilterValues } from "../../ui/list/filter";
import type { Row } from "./contents";
import { contentKeys } from "./queries";

type Numbered = Pick<Row<"tv-channels">, "id" | "version" | "channelNumber">;

const none: Numbered[] = [];

/** `list` says which page of which list the rows are. */
export function useRepeatedNumbers(
  kind: Kind,
  rows: readonly object[] | undefined,
  filters: FilterValues,
  list: string,
) {
  const { duplicated } = filters;
  const channels = kind === "tv-channels" && duplicated ? ((rows as Numbered[] | undefined) ?? none) : none;
  const [first, setFirst] = useState({ list: "", numbers: new Map<number, number>() });
  const begun = first.list === list ? first.numbers : new Map<number, number>();
  const added = channels.filter(({ id }) => !begun.has(id));
  if (added.length > 0)
    setFirst({
      list,
      numbers: new Map([...begun, ...added.map((row) => [row.id, row.channelNumber] as const)]),
    });
  const changed = channels.filter(
    ({ id, channelNumber }) => (begun.get(id) ?? channelNumber) !== channelNumber,
  );
  const numbers = [...new Set(changed.flatMap(({ id, channelNumber }) => [channelNumber, begun.get(id)]))];
  const versions = channels.map(({ version }) => version).join();
  const answers = useQueries({
    queries: numbers.map((channelNumber) => ({
      queryKey: [...contentKeys.lists("tv-channels"), "repeated", channelNumber, versions],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        getList("tv-channels", { _page: 0, _size: 1, channelNumber, duplicated: "true" }, signal),
      staleTime: freshness.lists,
    })),
  });
  const misplaced = numbers.filter((_, index) => {
    const total = answers[index]?.data?.totalElements;
    return total !== undefined && total > 0 !== (duplicated === "true");
  });
  return new Set(
    channels.filter(({ channelNumber }) => misplaced.includes(channelNumber)).map(({ id }) => id),
  );
}
