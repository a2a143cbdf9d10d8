// One report beside the list: what is wrong with what, what can be done next, and what was done.
import { Button, Drawer, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { ReportType } from "../../api/enums/ReportType.gen";
import { isMissing, messageOf } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { ErrorView } from "../../ui/ErrorView";
import { OpenIcon } from "../../ui/icons";
import { Dash } from "../../ui/values";
import "../../ui/modal.css";
import { type Asked, useTargetActions } from "./actions";
import { useIssueAddress } from "./address";
import { ContentTypeBadge, IssueStatusBadge, PriorityBadge } from "./badges";
import { Minute } from "./columns";
import { History } from "./History";
import { issueQueries, type ReportDetails } from "./queries";
import "./report-drawer.css";

interface ReportDrawerProps {
  id: number;
  onAsk: (asked: Asked) => void;
  onClose: () => void;
}

export default function ReportDrawer({ id, onAsk, onClose }: ReportDrawerProps) {
  const { t } = useTranslation();
  const report = useQuery(issueQueries.one(id));
  return (
    <Drawer.Root opened onClose={onClose} position="right" size="min(34rem, 100%)" zIndex={250}>
      <Drawer.Overlay />
      <Drawer.Content>
        <div className="dialog-head">
          <Drawer.Title>{t("issues.one", { id })}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("common.close")} />
        </div>
        <Drawer.Body>
          {report.data ? (
            <Details report={report.data} onAsk={onAsk} onClose={onClose} />
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
      </Drawer.Content>
    </Drawer.Root>
  );
}

type DetailsProps = Omit<ReportDrawerProps, "id"> & { report: ReportDetails };

function Details({ report, onAsk, onClose }: DetailsProps) {
  const { t } = useTranslation();
  const { linkTo } = useIssueAddress();
  const actions = useTargetActions(onAsk, onClose)({ is: "report", report });
  return (
    <div className="issue-details">
      <h3>{report.title}</h3>
      <div className="badges">
        <IssueStatusBadge status={report.status} />
        <PriorityBadge priority={report.priority} />
      </div>
      <p className="issue-text" data-none={!report.description || undefined}>
        {report.description ?? t("issues.noDescription")}
      </p>
      <dl className="issue-facts">
        <Fact label={t("issues.fields.content")}>
          <ItemOf report={report} />
          {report.groupId !== null && (
            <Link
              className="cell-link issue-others"
              to={linkTo({ tab: "all", group: report.groupId, report: undefined, grouped: undefined })}
            >
              {t("issues.others")}
            </Link>
          )}
        </Fact>
        <Fact label={t("issues.fields.reportType")}>{labelOf(ReportType, report.reportType)}</Fact>
        <Fact label={t("issues.fields.reportedDate")}>
          <Minute of={report.reportedDate} />
        </Fact>
        <Fact label={t("issues.fields.reporter")}>{report.reporter ?? <Dash />}</Fact>
        <Fact label={t("issues.fields.assignedTo")}>{report.assignedTo ?? t("issues.nobody")}</Fact>
        <Fact label={t("issues.fields.notes")}>
          {report.notes ? <span className="issue-text">{report.notes}</span> : <Dash />}
        </Fact>
      </dl>
      {actions.length > 0 && (
        <section aria-label={t("issues.next")}>
          <h4>{t("issues.next")}</h4>
          <div className="issue-actions">
            {actions.map(({ verb, label, Icon, onClick }) => (
              <Button
                key={label}
                variant="default"
                size="xs"
                leftSection={<Icon size={16} />}
                onClick={onClick}
              >
                {verb}
              </Button>
            ))}
          </div>
        </section>
      )}
      <section aria-label={t("issues.history.title")}>
        <h4>{t("issues.history.title")}</h4>
        <History entries={report.history} />
      </section>
    </div>
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

/** The permission that opens the form of each kind. */
const opens = {
  "tv-channels": "TVCHANNEL_UPDATE",
  movies: "MOVIE_UPDATE",
  documentaries: "DOCUMENTARY_UPDATE",
  sports: "SPORT_UPDATE",
  concerts: "CONCERT_UPDATE",
  episodes: "TVSHOW_READ",
} as const;

function ItemOf({ report: { item, content, contentId, contentType } }: { report: ReportDetails }) {
  const { t } = useTranslation();
  const may = useMay();
  const permission = item && opens[item.kind as keyof typeof opens];
  return (
    <span className="issue-item">
      <ContentTypeBadge type={contentType} />
      {item && permission && may(permission) ? (
        <Link className="cell-link" to={item.path}>
          {item.title} <OpenIcon size={14} />
        </Link>
      ) : (
        <span>{item?.title ?? content ?? <Dash />}</span>
      )}
      {!item && contentId !== null && <span className="quiet">{t("issues.itemGone")}</span>}
    </span>
  );
}
