// What the server says that the renewals would do. Requested once typing pauses; current only while it is the answer to
// exactly what is on the screen, because nothing is sold on another one.
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type QuoteRequest, renewalQueries } from "./queries";

/** The pause in typing before the request, in milliseconds. */
const delay = 300;

export function useQuote(customers: QuoteRequest["customers"] | undefined) {
  const wanted = JSON.stringify(customers);
  const [settled] = useDebouncedValue(wanted, delay);
  const request = settled ? { customers: JSON.parse(settled) as QuoteRequest["customers"] } : undefined;
  const query = useQuery({ ...renewalQueries.quote(request), placeholderData: keepPreviousData });
  return {
    quote: query.data,
    isCurrent:
      wanted !== undefined &&
      settled === wanted &&
      query.isSuccess &&
      !query.isFetching &&
      !query.isPlaceholderData,
    error: settled === wanted ? query.error : null,
    retry: () => void query.refetch(),
  };
}
