// All requests of the panel about viewers' reports.
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { useRef } from "react";
import { useUser } from "../../access/session";
import { call } from "../../api/client";
import { largestPage } from "../../api/page";
import { messageOf, type Problem } from "../../api/problem";
import { dashboardKey, freshness } from "../../api/queryClient";
import { rules } from "../../api/rules.gen";
import type { components } from "../../api/schema.gen";
import { t } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { undoAndWait, whenEnded } from "../../operations/queries";
import { fromAddress } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";
import type { Tab } from "./address";
import { conflictText } from "./lastChange";

type Schemas = components["schemas"];

export type Report = Schemas["ReportSeen"];
/** A report of the list. */
export type ReportRow = Schemas["IssueReportRow"];
export type ReportDetails = Schemas["IssueReport"];
export type HistoryEntry = Schemas["HistoryEntry"];
export type Group = Schemas["IssueGroupRow"];
export type Status = Schemas["ReportStatus"];
export type Stats = Schemas["IssueStats"];
export type ReportedLink = Schemas["ReportedLink"];
export type Change = Schemas["ReportPatch"];

/** What is changed: one report, or all open reports on one item. */
export type Target = { is: "report"; report: Report } | { is: "group"; group: Group };

/** As much of it as a change needs. */
type Changed =
  | { is: "report"; report: Pick<Report, "id" | "version" | "updatedDate"> }
  | { is: "group"; group: Pick<Group, "id"> };

/** All that is known of reports; stale once one of them changed. */
export const issuesKey = ["issues"] as const;

/** What each tab shows: just what its badge counts. */
const statusesOf: Record<Tab, string | undefined> = {
  reported: "REPORTADO,EN_PROGRESO",
  repaired: "RESUELTO,CERRADO",
  all: undefined,
};

function pageQuery({ page, size, sort, search }: ListState) {
  return { _page: page, _size: size, _sort: sort || undefined, search: search || undefined };
}

/** Search and filters of the list, as requests name them. */
export function listFilter({ search, filters: all }: ListState, tab: Tab, group: number | undefined) {
  const { assignedTo, ...filters } = all;
  return {
    search: search || undefined,
    ...filters,
    status: statusesOf[tab],
    // A user name has three characters at least.
    assignedTo: assignedTo === noAssignee ? undefined : assignedTo,
    unassigned: assignedTo === noAssignee || undefined,
    group,
  };
}

/** The query of a tab's list. */
export function listQueryOf(state: ListState, tab: Tab, group: number | undefined) {
  return { ...pageQuery(state), ...listFilter(state, tab, group) };
}

/** The query of the list of groups. */
export function groupQueryOf(state: ListState) {
  const { contentType } = state.filters;
  return { ...pageQuery(state), ...fromAddress({ contentType }) };
}

/** Whether there is still something to do about a report; only those change together with the others of their item. */
export function isOpen({ status }: Pick<Report, "status">): boolean {
  return status === "REPORTADO" || status === "EN_PROGRESO";
}

/** How often the links of a report are read again, in milliseconds. */
const linkInterval = 10_000;

export const issueQueries = {
  list: (state: ListState, tab: Tab, group: number | undefined) => {
    const query = listQueryOf(state, tab, group);
    return queryOptions({
      queryKey: [...issuesKey, "list", query],
      queryFn: ({ signal }) => call("get", "/issue-reports", { query, signal }),
      staleTime: freshness.issueLists,
      placeholderData: keepPreviousData,
    });
  },

  groups: (state: ListState) => {
    const query = groupQueryOf(state);
    return queryOptions({
      queryKey: [...issuesKey, "groups", query],
      queryFn: ({ signal }) => call("get", "/issue-reports/groups", { query, signal }),
      staleTime: freshness.issueLists,
      placeholderData: keepPreviousData,
    });
  },

  one: (id: number) =>
    queryOptions({
      queryKey: [...issuesKey, "one", id],
      queryFn: ({ signal }) => call("get", `/issue-reports/${id}`, { signal }),
      // What is about to be worked on must be the newest there is.
      staleTime: 0,
    }),

  /** The links of its item. They are probed within seconds of the report. */
  links: (id: number) =>
    queryOptions({
      queryKey: [...issuesKey, "one", id, "links"],
      queryFn: ({ signal }) => call("get", `/issue-reports/${id}/links`, { signal }),
      staleTime: 0,
      refetchInterval: linkInterval,
    }),

  stats: () =>
    queryOptions({
      queryKey: [...issuesKey, "stats"],
      queryFn: ({ signal }) => call("get", "/issue-reports/stats", { signal }),
      staleTime: freshness.counts,
    }),

  assignees: () =>
    queryOptions({
      queryKey: ["issue-assignees"],
      queryFn: ({ signal }) => call("get", "/issue-reports/assignees", { signal }),
      staleTime: freshness.lookups,
    }),
};

/** The filter for reports without an assignee. */
export const noAssignee = "-";

export function nameOf(target: Target): string {
  return target.is === "report" ? target.report.title : target.group.title;
}

/** Lists, counts, open reports and dashboards. */
function useFreshen() {
  const client = useQueryClient();
  return () =>
    Promise.all([issuesKey, dashboardKey].map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** What a change did. */
interface Sent {
  changed: number;
  /** Reports of a group that were refused or in conflict. */
  left: number;
  /** The operation that changed a group. */
  operation?: number;
}

/** Sends a change of one report, with the version that was seen, or begins the operation on the open ones of a group. */
async function send(client: QueryClient, target: Changed, change: Change): Promise<Sent> {
  if (target.is === "report") {
    const { id, version } = target.report;
    await call("patch", `/issue-reports/${id}`, { body: change, ifVersion: version });
    return { changed: 1, left: 0 };
  }
  const filter = { group: target.group.id, status: statusesOf.reported };
  const action = { type: "SET" as const, set: change };
  const body = { resource: "issue-reports", filter, action, dryRun: false };
  const { id } = await call("post", "/operations", { body });
  const { total, counts } = await whenEnded(client, id);
  return { changed: counts.changed, left: total - counts.changed - counts.unchanged, operation: id };
}

/** Says what a change did; that of a group can be undone. */
export function saySent({ changed, left, operation }: Sent, undo: (operation: number) => void): void {
  const text = t("issues.changed", { count: changed, number: formatNumber(changed) });
  toast.success(
    text,
    undefined,
    operation === undefined || changed === 0
      ? undefined
      : { label: t("common.undo"), onClick: () => undo(operation) },
  );
  if (left > 0)
    toast.failure(t("issues.notChanged"), t("issues.left", { count: left, number: formatNumber(left) }));
}

/** Why a report was not changed: after a conflict, who changed it first, and when. */
export async function refusalOf(
  client: QueryClient,
  seen: { id: number; updatedDate: string | undefined },
  problem: Problem,
  reader: string,
): Promise<string> {
  if (problem.code !== "VERSION_CONFLICT") return messageOf(problem);
  const report = await client.fetchQuery(issueQueries.one(seen.id)).catch(() => undefined);
  return (report && conflictText(report, seen.updatedDate, reader)) ?? messageOf(problem);
}

/** Undoes the change of a group. */
export function useUndo() {
  const client = useQueryClient();
  const freshen = useFreshen();
  return async (operation: number) => {
    try {
      const { counts } = await undoAndWait(client, operation);
      saySent({ changed: counts.changed, left: counts.refused + counts.conflicts }, () => {});
    } catch (problem) {
      toast.failure(t("issues.notChanged"), messageOf(problem as Problem));
    } finally {
      await freshen();
    }
  };
}

/** Is pending until the change is answered or, on request, until lists are read again: then no row is sent twice. */
export function useChange({ untilRead = false } = {}) {
  const client = useQueryClient();
  const freshen = useFreshen();
  return useMutation<Sent, Problem, { target: Changed; change: Change }>({
    mutationFn: ({ target, change }) => send(client, target, change),
    // Also after a failure: another user may have changed it.
    onSettled: () => {
      const read = freshen();
      return untilRead ? read : undefined;
    },
  });
}

const longestNotes = rules.ReportPatch.properties.notes.maxLength;

/** The notes of all open reports of a group; undefined where they differ, or are too many to read. */
async function sharedNotes(group: number): Promise<string | null | undefined> {
  const query = { group, status: statusesOf.reported, _size: largestPage };
  const { content, totalElements } = await call("get", "/issue-reports", { query });
  const [first, ...others] = new Set(content.map(({ notes }) => notes || null));
  return others.length > 0 || totalElements > content.length ? undefined : first;
}

/** Resolves a report, or all open ones of its group, with a sentence after what staff wrote. A group gets one text for all:
 * where its notes differ they stay as they are, without the sentence. */
export function useResolve() {
  const client = useQueryClient();
  const freshen = useFreshen();
  return useMutation<Sent, Problem, { report: Report; sentence: string }>({
    mutationFn: async ({ report, sentence }) => {
      const { groupId } = report;
      const written = groupId === null ? report.notes : await sharedNotes(groupId);
      const notes = written ? `${written}\n${sentence}` : sentence;
      const keepsNotes = written === undefined || [...notes].length > longestNotes;
      const target: Changed =
        groupId === null ? { is: "report", report } : { is: "group", group: { id: groupId } };
      return send(client, target, { status: "RESUELTO", ...(!keepsNotes && { notes }) });
    },
    onSettled: freshen,
  });
}

/** Changes the open report in place. One change after the other, each over the version that the last one left. */
export function useInlineChange(id: number) {
  const client = useQueryClient();
  const { username } = useUser();
  const freshen = useFreshen();
  /** The last change of the version that was sent: the report may be read again before the answer. */
  const seen = useRef<string>(undefined);
  return useMutation<unknown, Problem, Pick<Change, "assignedTo" | "priority">>({
    scope: { id: `report-${id}` },
    mutationFn: (change) => {
      const report = client.getQueryData<ReportDetails>(issueQueries.one(id).queryKey);
      seen.current = report?.updatedDate;
      return call("patch", `/issue-reports/${id}`, { body: change, ifVersion: report?.version });
    },
    onSuccess: () => toast.success(t("issues.changed", { count: 1, number: formatNumber(1) })),
    onError: async (problem) => {
      console.warn("change failed", problem);
      const sent = { id, updatedDate: seen.current };
      toast.failure(t("issues.notChanged"), await refusalOf(client, sent, problem, username));
    },
    onSettled: freshen,
  });
}

export function useDeleteReport(onDeleted?: (id: number) => void) {
  const client = useQueryClient();
  const { username } = useUser();
  const freshen = useFreshen();
  return useMutation<unknown, Problem, Report>({
    mutationFn: ({ id, version }) => call("delete", `/issue-reports/${id}`, { ifVersion: version }),
    onSuccess: (_answer, { id }) => {
      toast.success(t("issues.deleted", { id: formatNumber(id) }));
      client.removeQueries({ queryKey: issueQueries.one(id).queryKey });
      onDeleted?.(id);
    },
    onError: async (problem, report) => {
      console.warn("delete failed", problem);
      const refusal = await refusalOf(client, report, problem, username);
      toast.failure(t("issues.notDeleted", { id: formatNumber(report.id) }), refusal);
    },
    onSettled: () => void freshen(),
  });
}
