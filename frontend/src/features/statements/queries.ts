// The requests of the statements.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import { freshness } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { currentLanguage } from "../../i18n";

export type Statement = components["schemas"]["Statement"];
export type StatementRow = components["schemas"]["StatementRow"];

const shownRequests = 20;

export const statementQueries = {
  // Under the key of all credits: stale once credits moved.
  one: (username: string, month: string | undefined) =>
    queryOptions({
      queryKey: ["credits", "statement", username, month],
      queryFn: ({ signal }) =>
        call("get", `/statements/${encodeURIComponent(username)}`, { query: { month }, signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  agents: (search: string) =>
    queryOptions({
      queryKey: ["users", "agents", search],
      queryFn: ({ signal }) =>
        call("get", "/users", {
          query: {
            roleCode: "agent",
            search: search || undefined,
            _page: 0,
            _size: shownRequests,
            _sort: "+fullName",
          },
          signal,
        }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),
};

/** The address of the file. A link can't send a header, so the language is a parameter. */
export function exportAddress({ user, month }: Statement): string {
  const query = new URLSearchParams({ month, language: currentLanguage() });
  return `/api/statements/${encodeURIComponent(user.username)}/export?${query}`;
}

/** The month that is `months` later: «2026-12» is followed by «2027-01». */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** The current month in UTC; in the time zone of the service it may be the one before or after. */
export const monthOfUtc = () => new Date().toISOString().slice(0, 7);

/** Whether a month may have a statement: it has begun in some time zone. */
export function isMonth(text: string): boolean {
  return /^2\d{3}-(0[1-9]|1[0-2])$/.test(text) && text <= monthAfter(monthOfUtc(), 1);
}
