// Requests of bulk operations.
import {
  keepPreviousData,
  type QueryClient,
  QueryObserver,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call } from "../api/client";
import type { Operation as ApiOperation } from "../api/operations";
import { Problem } from "../api/problem";
import type { components } from "../api/schema.gen";

type ListQuery = NonNullable<ApiOperation<"get", "/operations">["parameters"]["query"]>;
type TrashQuery = NonNullable<ApiOperation<"get", "/trash">["parameters"]["query"]>;

export type Operation = components["schemas"]["Operation"];
export type OperationRow = components["schemas"]["OperationRowAnswer"];
export type OperationRequest = components["schemas"]["OperationRequest"];
export type BulkChange = components["schemas"]["BulkChange"];
export type Verdict = OperationRow["verdict"];

/** Poll interval of a running operation, in milliseconds. */
const pollInterval = 400;

/** Rows that an undo gave back in part, of which so many are read: a page of the largest size. */
export const mostPartial = 1000;

/** Deleted items whose titles are read: a page of the largest size, the ones that were deleted last. */
const mostTrashed = 1000;

export const operationKeys = {
  all: ["operations"] as const,
  one: (id: number) => ["operations", id] as const,
};

export const isUnfinished = ({ state }: Operation) => state === "WAITING" || state === "RUNNING";

/** Whether an operation, or a decision, can be undone now. */
export const isUndoable = ({ undoUntil }: Pick<Operation, "undoUntil">) =>
  undoUntil != null && Date.parse(undoUntil) > Date.now();

export const operationQueries = {
  list: (query: ListQuery) =>
    queryOptions({
      queryKey: [...operationKeys.all, "list", query],
      queryFn: ({ signal }) => call("get", "/operations", { query, signal }),
      staleTime: 0,
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.content.some(isUnfinished) ? pollInterval : false),
    }),

  one: (id: number) =>
    queryOptions({
      queryKey: operationKeys.one(id),
      queryFn: ({ signal }) => call("get", `/operations/${id}`, { signal }),
      staleTime: 0,
      refetchInterval: ({ state: { data, error } }) =>
        (data ? isUnfinished(data) : !error) ? pollInterval : false,
    }),

  /** A page of the rows of a verdict; `total` items have it by now. */
  rows: (id: number, verdict: Verdict, size: number, total: number, page = 0) =>
    queryOptions({
      queryKey: [...operationKeys.one(id), "rows", verdict, size, Math.min(size * (page + 1), total), page],
      placeholderData: keepPreviousData,
      queryFn: ({ signal }) => {
        const query = { verdict, _size: size, ...(page > 0 && { _page: page }) };
        return call("get", `/operations/${id}/rows`, { query, signal });
      },
    }),

  /** What an undo gave back in part only: rows that were changed, with what was left as it is. */
  partial: (id: number) =>
    queryOptions({
      queryKey: [...operationKeys.one(id), "partial"],
      queryFn: ({ signal }) => {
        const query = { verdict: "CHANGED" as const, problems: true, _size: mostPartial };
        return call("get", `/operations/${id}/rows`, { query, signal });
      },
    }),

  /** The titles by id of the items in the trash that were there when an operation ended. */
  trashedTitles: ({ resource, finishedDate }: Operation) =>
    queryOptions({
      queryKey: ["trash", "titles", resource, finishedDate],
      queryFn: async ({ signal }) => {
        const query = {
          kind: resource as TrashQuery["kind"],
          _size: mostTrashed,
          ...(finishedDate && { deletedDateTo: finishedDate }),
        };
        const { content } = await call("get", "/trash", { query, signal });
        return Object.fromEntries(content.map(({ itemId, title }) => [itemId, title]));
      },
    }),
};

/** An operation, once it has ended. */
export function whenEnded(client: QueryClient, id: number): Promise<Operation> {
  return new Promise((resolve, reject) => {
    const stop = new QueryObserver(client, operationQueries.one(id)).subscribe(({ data, error }) => {
      if (error) reject(error);
      else if (data && !isUnfinished(data)) resolve(data);
      else return;
      stop();
    });
  });
}

/** Undoes an operation: the one that does so, once it has ended. */
export async function undoAndWait(client: QueryClient, operation: number): Promise<Operation> {
  const { id } = await call("post", `/operations/${operation}/undo`);
  return whenEnded(client, id);
}

export function useBeginOperation(onBegun?: (operation: Operation) => void) {
  const client = useQueryClient();
  return useMutation<Operation, Problem, { request: OperationRequest; idempotencyKey?: string }>({
    mutationFn: ({ request, idempotencyKey }) =>
      call("post", "/operations", { body: request, idempotencyKey }),
    onSuccess: (begun) => {
      client.setQueryData(operationKeys.one(begun.id), begun);
      onBegun?.(begun);
    },
  });
}

export function useCancelOperation() {
  const client = useQueryClient();
  return useMutation<Operation, Problem, number>({
    mutationFn: async (id) => {
      try {
        return await call("post", `/operations/${id}/cancel`);
      } catch (problem) {
        if (!(problem instanceof Problem) || problem.status !== 409) throw problem;
        // It has ended since it was read.
        const operation = await call("get", `/operations/${id}`);
        if (isUnfinished(operation)) throw problem;
        return operation;
      }
    },
    onSuccess: (ended) => client.setQueryData(operationKeys.one(ended.id), ended),
    onSettled: () => client.invalidateQueries({ queryKey: operationKeys.all }),
  });
}

export function useUndoOperation() {
  const client = useQueryClient();
  return useMutation<Operation, Problem, number>({
    mutationFn: (id) => call("post", `/operations/${id}/undo`),
    onSettled: () => client.invalidateQueries({ queryKey: operationKeys.all }),
  });
}
