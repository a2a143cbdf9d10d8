// Where one is among the reports, beside what every list keeps: the tab, the item whose reports are shown, whether
// they are grouped, and the report that is open. All of it is in the address.
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";

export const tabs = ["reported", "repaired", "all"] as const;
export type Tab = (typeof tabs)[number];

/** What the list of reports can be filtered by. */
export const reportFilters = [
  "contentType",
  "reportType",
  "priority",
  "assignedTo",
  "reportedDateFrom",
  "reportedDateTo",
] as const;

const number = /^\d{1,15}$/;
const idIn = (text: string | null) => (text && number.test(text) ? Number(text) : undefined);

export function useIssueAddress() {
  const [address, setAddress] = useSearchParams();
  const read = useMemo(
    () => ({
      tab: tabs.find((tab) => tab === address.get("tab")) ?? "reported",
      isGrouped: address.get("grouped") === "1",
      group: idIn(address.get("group")),
      report: idIn(address.get("report")),
    }),
    [address],
  );

  /** Where a link leads: the same list with some of this changed. What is empty is left out. */
  const linkTo = useCallback(
    (next: Record<string, string | number | undefined>) => ({ search: `?${changed(address, next)}` }),
    [address],
  );
  /** The address of all reports on an item, regardless of the filters of the current list. */
  const reportsOf = (group: number, tab?: Tab) =>
    linkTo({
      ...Object.fromEntries(reportFilters.map((filter) => [filter, undefined])),
      tab,
      group,
      page: undefined,
      sort: undefined,
      search: undefined,
      report: undefined,
      grouped: undefined,
    });
  const change = useCallback(
    (next: Record<string, string | number | undefined>, state?: object) =>
      setAddress((before) => changed(before, next), { preventScrollReset: true, state }),
    [setAddress],
  );
  return { ...read, linkTo, reportsOf, change };
}

function changed(address: URLSearchParams, next: Record<string, string | number | undefined>) {
  const after = new URLSearchParams(address);
  // Another list starts at its first page; a report opens over the page that is shown.
  if (!("report" in next)) after.delete("page");
  for (const [key, value] of Object.entries(next)) {
    if (value === undefined || value === "") after.delete(key);
    else after.set(key, String(value));
  }
  return after;
}
