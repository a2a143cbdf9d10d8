// The items of which an undo left something as it is, because somebody changed it since: the server counts them among those
// that were changed.
import { useQuery } from "@tanstack/react-query";
import { isUnfinished, type Operation, operationQueries } from "./queries";

export function usePartial(operation: Operation) {
  const enabled = operation.undoOf != null && operation.counts.changed > 0 && !isUnfinished(operation);
  const { data, error, isPending, refetch } = useQuery({
    ...operationQueries.partial(operation.id),
    enabled,
  });
  return { rows: data ?? [], error, isPending: enabled && isPending, refetch };
}
