// Items that an undo restored only in part, because a field was changed since: the server counts them as changed.
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
