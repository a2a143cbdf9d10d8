// Reports one by one, those of one item where the address says so.
import { CloseButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { IssueContentType } from "../../api/enums/IssueContentType.gen";
import { Priority } from "../../api/enums/Priority.gen";
import { ReportType } from "../../api/enums/ReportType.gen";
import { loadTexts } from "../../i18n";
import { optionsOf } from "../../i18n/enums";
import { lazyPart } from "../../loading/lazyPart";
import { ViewIcon } from "../../ui/icons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import type { FilterChoice } from "../../ui/list/filter";
import { ListScreen } from "../../ui/list/ListScreen";
import { seldomShown } from "../../ui/list/seldomShown";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { useSelection } from "../../ui/list/useSelection";
import { type PendingChange, useTargetActions } from "./actions";
import { reportFilters, useIssueAddress } from "./address";
import { reportColumns } from "./columns";
import { IssueTabs } from "./IssueTabs";
import { issueQueries, listFilter, listQueryOf, noAssignee, type ReportRow } from "./queries";

const DayRange = seldomShown(() => import("../../forms/DayRange"));
const ReportSelectionBar = lazyPart(
  async () => (await Promise.all([import("./ReportSelectionBar"), loadTexts("operations")]))[0],
);

const defaults = {
  name: "issues",
  size: 10,
  filters: reportFilters,
};

export function ReportList({ onAsk }: { onAsk: (change: PendingChange) => void }) {
  const { t } = useTranslation();
  const { tab, group, linkTo, change: changeAddress } = useIssueAddress();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(issueQueries.list(state, tab, group));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) =>
    issueQueries.list(next, tab, group),
  );
  const mayChange = useMay()("ISSUES_UPDATE");
  const filter = listFilter(state, tab, group);
  const selection = useSelection({
    search: state.search,
    filters: { ...state.filters, tab, group: `${group ?? ""}` },
  });
  const hasSelected = selection.everything || selection.ids.length > 0;
  const actionsOf = useTargetActions(onAsk, { onDeleted: selection.forget });
  const columns = useInLanguage(reportColumns);
  const rows = list.data?.content;
  const choices = useFilters(state.filters.assignedTo);

  return (
    <ListScreen<ReportRow>
      name={defaults.name}
      title={t("issues.title")}
      searchLabel={t("issues.search")}
      columns={columns}
      filters={choices}
      state={state}
      change={change}
      answer={answerOf(list)}
      aside={
        <ListExport
          list={defaults.name}
          file="spreadsheets/issue-reports"
          query={listQueryOf(state, tab, group)}
          total={list.data?.totalElements}
          columns={columns}
        />
      }
      header={
        <>
          <IssueTabs />
          {group !== undefined && (
            <GroupChip name={rows?.[0]?.content} onRemove={() => changeAddress({ group: undefined })} />
          )}
        </>
      }
      identity={({ id, title, description }, leave) => (
        <span className="issue-title">
          <Link to={linkTo({ report: id })} data-row={id} onClick={leave}>
            {title}
          </Link>
          <span className="quiet">{description ?? t("issues.noDescription")}</span>
        </span>
      )}
      actions={(report, leave) => (
        <ActionButtons
          name={report.title}
          actions={[
            {
              label: t("issues.view", { name: report.title }),
              verb: t("common.view"),
              Icon: ViewIcon,
              onClick: () => {
                leave();
                changeAddress({ report: report.id });
              },
            },
            ...actionsOf({ is: "report", report }),
          ]}
        />
      )}
      selectable={mayChange ? { selection, nameOf: (report) => report.title } : undefined}
      selected={
        hasSelected && (
          <Suspense fallback={null}>
            <ReportSelectionBar selection={selection} filter={filter} total={list.data?.totalElements} />
          </Suspense>
        )
      }
      onIntent={prefetchNext}
    />
  );
}

function GroupChip({ name, onRemove }: { name: string | null | undefined; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <p className="issue-chip">
      <span>{name ? t("issues.onlyOf", { name }) : t("issues.onlyOfOne")}</span>
      <CloseButton
        size="sm"
        aria-label={t("issues.onlyRemove")}
        title={t("issues.onlyRemove")}
        onClick={onRemove}
      />
    </p>
  );
}

function useFilters(assignedTo: string | undefined): FilterChoice[] {
  const { t } = useTranslation();
  const assignees = useQuery(issueQueries.assignees());
  const choices = [
    { value: noAssignee, label: t("issues.nobody") },
    ...(assignees.data ?? []).map(({ username, fullName }) => ({ value: username, label: fullName })),
  ];
  // The assignee of the address, also before the names are loaded and where the user is no longer an assignee.
  if (assignedTo && !choices.some(({ value }) => value === assignedTo))
    choices.push({ value: assignedTo, label: assignedTo });
  return [
    { key: "contentType", label: t("issues.fields.contentType"), options: optionsOf(IssueContentType) },
    { key: "reportType", label: t("issues.fields.reportType"), options: optionsOf(ReportType) },
    { key: "priority", label: t("issues.fields.priority"), options: optionsOf(Priority) },
    { key: "assignedTo", label: t("issues.fields.assignedTo"), options: choices },
    {
      key: "reportedDate",
      label: t("issues.fields.reportedDate"),
      input: "days",
      options: [],
      Panel: DayRange,
    },
  ];
}
