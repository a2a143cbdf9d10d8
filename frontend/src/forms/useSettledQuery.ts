// The server's answer about the values of a form. Requested once typing pauses; current only while it is the answer to exactly
// what is on the screen, because nothing may be sent on another one.
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";

/** The pause in typing before the request, in milliseconds. */
const delay = 300;

export interface Settled<Answer> {
  /** The last answer, maybe to something else. */
  answer: Answer | undefined;
  /** `answer` is to exactly what is wanted. */
  isCurrent: boolean;
  error: Error | null;
  retry: () => void;
}

export function useSettledQuery<Wanted extends object, Answer, Key extends QueryKey>(
  wanted: Wanted | undefined,
  /** Without a request it is not enabled. */
  queryOf: (request: Wanted | undefined) => UseQueryOptions<Answer, Error, Answer, Key>,
): Settled<Answer> {
  const text = JSON.stringify(wanted);
  const [settled] = useDebouncedValue(text, delay);
  const request = settled ? (JSON.parse(settled) as Wanted) : undefined;
  const query = useQuery({ ...queryOf(request), placeholderData: keepPreviousData });
  const isSettled = wanted !== undefined && settled === text;
  return {
    answer: query.data,
    isCurrent: isSettled && query.isSuccess && !query.isFetching && !query.isPlaceholderData,
    error: settled === text ? query.error : null,
    retry: () => void query.refetch(),
  };
}
