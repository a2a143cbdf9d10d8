// All requests of the panel about renewals: who ends when, what renewing several would do, and what was sold.
import { keepPreviousData, queryOptions, skipToken } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Sale } from "../../api/openSales";
import { freshness } from "../../api/queryClient";
import { expecting } from "../../api/sales";
import type { components } from "../../api/schema.gen";
import { currentLanguage } from "../../i18n";
import type { ListState } from "../../ui/list/useListAddress";

type Schemas = components["schemas"];

export type Customer = Schemas["RenewalRow"];
export type RenewalWindow = Schemas["RenewalWindow"];
export type Quote = Schemas["RenewalQuote"];
export type QuoteLine = Schemas["RenewalQuoteLine"];
export type QuoteRequest = Schemas["RenewalQuoteRequest"];
export type Message = Schemas["MessageForSellers"];

/** Whom a renewal is about. */
export type Renewed = Pick<Customer, "username" | "fullName" | "expirationDate">;

/** All customers that the list shows with a filter, as many as the user has confirmed. */
export interface Matching {
  filter: { window: RenewalWindow; search?: string; snoozed?: boolean };
  count: number;
}

/** Whether the customers who are snoozed are listed instead of the others. */
const isSnoozed = (filters: ListState["filters"]) => filters.snoozed === "true";

/** Customers of one renewal at most. */
export const most = 100;

/** The filter of a list, as a request names it. */
export const filterOf = (
  window: RenewalWindow,
  { search, filters }: Pick<ListState, "search" | "filters">,
): Matching["filter"] => ({
  window,
  ...(search && { search }),
  ...(isSnoozed(filters) && { snoozed: true }),
});

export const renewalQueries = {
  list: (window: RenewalWindow, { page, size, sort, search, filters }: ListState) =>
    queryOptions({
      queryKey: ["renewals", "list", window, page, size, sort, search, isSnoozed(filters)],
      queryFn: ({ signal }) =>
        call("get", "/renewals", {
          query: {
            window,
            _page: page,
            _size: size,
            _sort: sort || undefined,
            search: search || undefined,
            snoozed: isSnoozed(filters) || undefined,
          },
          signal,
        }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  counts: ({ search, filters }: Pick<ListState, "search" | "filters">) =>
    queryOptions({
      queryKey: ["renewals", "counts", search, isSnoozed(filters)],
      queryFn: ({ signal }) =>
        call("get", "/renewals/counts", {
          query: { search: search || undefined, snoozed: isSnoozed(filters) || undefined },
          signal,
        }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  /** The messages to customers, for both languages; loaded each time the dialog opens: one may have been edited. */
  messages: () =>
    queryOptions({
      queryKey: ["renewals", "messages"],
      queryFn: ({ signal }) => call("get", "/renewals/messages", { signal }),
      staleTime: freshness.lookups,
      gcTime: 0,
    }),

  /** The customers that match, as the server finds them, with what a month for each would do. */
  matching: (matching: Matching) =>
    queryOptions({
      queryKey: ["renewals", "quote", "matching", matching, currentLanguage()],
      queryFn: ({ signal }) => quoteMatching(matching, signal),
      // What is confirmed does not change while it is on the screen.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),

  /** What renewing them would do, by the rules that would do it. */
  quote: (request: QuoteRequest | undefined) =>
    queryOptions({
      // Its warnings are sentences.
      queryKey: ["renewals", "quote", request, currentLanguage()],
      queryFn: request
        ? ({ signal }) => call("post", "/renewals/quote", { body: request, signal })
        : skipToken,
      staleTime: 0,
      gcTime: 0,
    }),
};

/** Evaluates a filter: refused where it lists another number of customers than was confirmed. */
export function quoteMatching({ filter, count }: Matching, signal?: AbortSignal) {
  return call("post", "/renewals/quote", {
    body: { customers: [], filter, months: 1, expectedCount: count },
    ...(signal && { signal }),
  });
}

/**
 * Sells months to one customer whose subscription ends when it was confirmed to end; under the same key once, however often
 * it is sent. It is the body of the credit dialog.
 */
export function sell({ username, months, expectedEnd, key }: Sale) {
  const body = { targetUsername: username, amount: months, reason: null, ...expecting(expectedEnd) };
  return call("post", "/credits/add", { body, idempotencyKey: key });
}
