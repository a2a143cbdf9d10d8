// The requests of a user's page beside those of users and of notes: movements, visits, devices and reports.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { components } from "../../api/schema.gen";

type Schemas = components["schemas"];

/** An operation with credits, seen from the user's balance. */
export type Line = Schemas["LedgerLine"];
export type Visit = Schemas["UserVisit"];
export type Report = Schemas["UserReport"];

const pathOf = (username: string) => `/users/${encodeURIComponent(username)}` as const;
const key = (username: string, part: string) => ["users", "activity", username.toLowerCase(), part] as const;

export const customerQueries = {
  /** The newest movements; stale once credits moved. */
  movements: (username: string) =>
    queryOptions({
      queryKey: ["credits", "recent", username.toLowerCase()],
      queryFn: ({ signal }) =>
        call("get", "/credits/ledger", { query: { username, _page: 0, _size: 10 }, signal }),
      staleTime: 0,
    }),

  visits: (username: string, size: number) =>
    queryOptions({
      queryKey: [...key(username, "visits"), size],
      queryFn: ({ signal }) => call("get", `${pathOf(username)}/visits`, { query: { _size: size }, signal }),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),

  devices: (username: string) =>
    queryOptions({
      queryKey: key(username, "devices"),
      queryFn: ({ signal }) => call("get", `${pathOf(username)}/devices`, { signal }),
      staleTime: 0,
    }),

  reports: (username: string, size: number) =>
    queryOptions({
      queryKey: [...key(username, "reports"), size],
      queryFn: ({ signal }) => call("get", `${pathOf(username)}/reports`, { query: { _size: size }, signal }),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),
};
