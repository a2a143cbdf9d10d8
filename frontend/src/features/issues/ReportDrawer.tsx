// One report beside the list: what is wrong with what, what can be done next, and what was done.
import { Button, Drawer, Menu, NativeSelect, Skeleton } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/Menu.layer.css";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { Priority } from "../../api/enums/Priority.gen";
import { ReportType } from "../../api/enums/ReportType.gen";
import { isMissing, messageOf, unlessMissing } from "../../api/problem";
import { labelOf, optionsOf } from "../../i18n/enums";
import { formOf } from "../../routing/paths";
import { ErrorView } from "../../ui/ErrorView";
import { DownIcon } from "../../ui/icons";
import { OpenIcon } from "../../ui/lazyIcons";
import { useIsTopmost } from "../../ui/useIsTopmost";
import { Dash } from "../../ui/values";
import "../../ui/modal.css";
import { AssigneeField } from "./AssigneeField";
import { type PendingChange, useReportActions } from "./actions";
import { useIssueAddress } from "./address";
import { ContentTypeBadge, IssueStatusBadge, PriorityBadge } from "./badges";
import { Minute } from "./columns";
import { History } from "./History";
import { issueQueries, type ReportDetails, useInlineChange } from "./queries";
import { ReportLinks } from "./ReportLinks";
import "./report-drawer.css";

interface ReportDrawerProps {
  id: number;
  onAsk: (change: PendingChange) => void;
  onClose: () => void;
}

export default function ReportDrawer({ id, onAsk, onClose }: ReportDrawerProps) {
  const { t } = useTranslation();
  const report = useQuery(issueQueries.one(id));
  const found = unlessMissing(report);
  const isTopmost = useIsTopmost();
  return (
    <Drawer.Root
      opened
      onClose={() => isTopmost() && onClose()}
      position="right"
      size="min(34rem, 100%)"
      zIndex={250}
    >
      <Drawer.Overlay />
      <Drawer.Content className="issue-drawer right-drawer">
        <div className="dialog-head">
          <Drawer.Title>{t("issues.one", { id })}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("common.close")} />
        </div>
        <Drawer.Body>
          {found ? (
            <Details report={found} />
          ) : report.isError ? (
            <ErrorView
              title={t("issues.loadFailed")}
              message={messageOf(report.error)}
              onRetry={isMissing(report.error) ? undefined : () => void report.refetch()}
            />
          ) : (
            <div role="status" aria-label={t("common.loading")} className="issue-waiting">
              {[28, 56, 120, 40, 120].map((height, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: bars without names, always the same
                <Skeleton key={index} h={height} />
              ))}
            </div>
          )}
        </Drawer.Body>
        {found && <NextActions report={found} onAsk={onAsk} onClose={onClose} />}
      </Drawer.Content>
    </Drawer.Root>
  );
}

type DetailsProps = Omit<ReportDrawerProps, "id"> & { report: ReportDetails };

function Details({ report }: Pick<DetailsProps, "report">) {
  const { t } = useTranslation();
  const { reportsOf } = useIssueAddress();
  const may = useMay();
  const mayUpdate = may("ISSUES_UPDATE");
  return (
    <div className="issue-details">
      <h3>{report.title}</h3>
      <div className="badges">
        <IssueStatusBadge status={report.status} />
        {!mayUpdate && <PriorityBadge priority={report.priority} />}
      </div>
      {mayUpdate && <InlineChanges report={report} />}
      <p className="issue-text" data-none={!report.description || undefined}>
        {report.description ?? t("issues.noDescription")}
      </p>
      <dl className="issue-facts">
        <Fact label={t("issues.fields.content")}>
          <ItemOf report={report} />
          {report.groupId !== null && (
            <Link className="cell-link issue-others" to={reportsOf(report.groupId, "all")}>
              {t("issues.others")}
            </Link>
          )}
        </Fact>
        <Fact label={t("issues.fields.reportType")}>{labelOf(ReportType, report.reportType)}</Fact>
        <Fact label={t("issues.fields.reportedDate")}>
          <Minute of={report.reportedDate} />
        </Fact>
        <Fact label={t("issues.fields.reporter")}>{report.reporter ?? <Dash />}</Fact>
        {!mayUpdate && (
          <Fact label={t("issues.fields.assignedTo")}>{report.assignedTo ?? t("issues.nobody")}</Fact>
        )}
        <Fact label={t("issues.fields.notes")}>
          {report.notes ? <span className="issue-text">{report.notes}</span> : <Dash />}
        </Fact>
      </dl>
      <ReportLinks report={report} />
      <section aria-label={t("issues.history.title")}>
        <h4>{t("issues.history.title")}</h4>
        <History entries={report.history} />
      </section>
    </div>
  );
}

/** Who it is assigned to and how urgent it is, changed in place. */
function InlineChanges({ report }: { report: ReportDetails }) {
  const { t } = useTranslation();
  const change = useInlineChange(report.id);
  const next = change.isPending ? change.variables : undefined;
  return (
    <div className="issue-inline">
      <AssigneeField
        target={{ is: "report", report }}
        value={(next?.assignedTo === undefined ? report.assignedTo : next.assignedTo) ?? ""}
        onChange={(username) => change.mutate({ assignedTo: username || null })}
      />
      <NativeSelect
        label={t("issues.fields.priority")}
        data={optionsOf(Priority)}
        value={next?.priority ?? report.priority}
        onChange={(event) => change.mutate({ priority: event.currentTarget.value as typeof report.priority })}
      />
    </div>
  );
}

/** What can be done next: one thing first, the rest in a menu, deleting apart. */
function NextActions({ report, onAsk, onClose }: DetailsProps) {
  const { t } = useTranslation();
  const { first, others, remove } = useReportActions(onAsk, onClose)(report);
  if (!first && !remove) return null;
  return (
    <section className="issue-foot" aria-label={t("issues.next")}>
      {first && (
        <Button leftSection={<first.Icon size={16} />} onClick={first.onClick}>
          {first.verb}
        </Button>
      )}
      {others.length > 0 && (
        <Menu position="top-start" shadow="md" withinPortal={false} withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <Button variant="default" rightSection={<DownIcon size={14} />}>
              {t("issues.moreActions")}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map(({ label, verb, Icon, onClick }) => (
              <Menu.Item key={label} leftSection={<Icon size={16} />} onClick={onClick}>
                {verb}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {remove && (
        <Button
          className="issue-remove"
          variant="subtle"
          color="red"
          leftSection={<remove.Icon size={16} />}
          onClick={remove.onClick}
        >
          {remove.verb}
        </Button>
      )}
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The permission that opens the form of an item: episodes are edited on the page of their show. */
function permissionFor({ kind, showId }: { kind: string; showId: number | null }) {
  if (showId !== null) return "TVSHOW_READ";
  const entry = contentEntries[kind as Kind];
  return entry && (`${entry.entity}_UPDATE` as const);
}

function ItemOf({ report: { item, content, contentId, contentType } }: { report: ReportDetails }) {
  const { t } = useTranslation();
  const may = useMay();
  const permission = item && permissionFor(item);
  return (
    <span className="issue-item">
      <ContentTypeBadge type={contentType} />
      {item && permission && may(permission) ? (
        <Link className="cell-link" to={formOf(item)}>
          {item.title} <OpenIcon size={14} />
        </Link>
      ) : (
        <span>{item?.title ?? content ?? <Dash />}</span>
      )}
      {!item && contentId !== null && <span className="quiet">{t("issues.itemGone")}</span>}
    </span>
  );
}
