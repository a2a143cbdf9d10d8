// What a user does with the service: devices, visits, and the problems that the user reported.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { IssueContentType } from "../../api/enums/IssueContentType.gen";
import { ReportStatus } from "../../api/enums/ReportStatus.gen";
import { ReportType } from "../../api/enums/ReportType.gen";
import { VisitKind } from "../../api/enums/VisitKind.gen";
import { WatchedType } from "../../api/enums/WatchedType.gen";
import { formatDayAndTime } from "../../i18n/dayAndTime";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { deviceName } from "../../ui/deviceName";
import { useMoreRows } from "../../ui/list/useMoreRows";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { Loaded, Part } from "./Part";
import { customerQueries, type Report, type Visit } from "./queries";

const step = 5;

function Time({ of: moment }: { of: string }) {
  return (
    <time dateTime={moment} className="quiet tabular">
      {formatDayAndTime(moment)}
    </time>
  );
}

/** Rows with the moment of each, and a button for more. */
function Rows({ total, of: { hasMore, showMore }, children }: RowsProps) {
  const { t } = useTranslation();
  return (
    <>
      <ul className="customer-rows">{children}</ul>
      {hasMore(total) && (
        <Button variant="default" size="compact-sm" onClick={showMore}>
          {t("customer.showMore")}
        </Button>
      )}
    </>
  );
}

interface RowsProps {
  total: number;
  of: ReturnType<typeof useMoreRows>;
  children: ReactNode;
}

export function Devices({ username }: { username: string }) {
  const { t } = useTranslation();
  const devices = useQuery(customerQueries.devices(username));
  return (
    <Part title={t("customer.devices")} help={t("customer.devicesHelp")}>
      <Loaded of={devices}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="quiet">{t("customer.noDevices")}</p>
          ) : (
            <ul className="customer-rows">
              {rows.map(({ device, lastSeen, visits }) => (
                <li key={device}>
                  <span className="customer-row-main" title={device}>
                    {deviceName(device)}
                    <Time of={lastSeen} />
                  </span>
                  <span className="quiet">
                    {t("customer.visitCount", { count: visits, number: formatNumber(visits) })}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Part>
  );
}

export function Visits({ username }: { username: string }) {
  const { t } = useTranslation();
  const may = useMay();
  const more = useMoreRows(step, 4 * step);
  const visits = useQuery(customerQueries.visits(username, more.size));
  return (
    <Part
      title={t("customer.visits")}
      aside={may("VIEW_HISTORY_READ") && <Link to={paths.visitsOf(username)}>{t("customer.allVisits")}</Link>}
    >
      <Loaded of={visits}>
        {({ content, totalElements }) =>
          content.length === 0 ? (
            <p className="quiet">{t("customer.noVisits")}</p>
          ) : (
            <Rows total={totalElements} of={more}>
              {content.map((visit) => (
                <li key={visit.id}>
                  <span className="customer-row-main">
                    {watched(visit)}
                    <span className="quiet">
                      {[visit.device && deviceName(visit.device), visit.address].filter(Boolean).join(" · ")}
                    </span>
                  </span>
                  <Time of={visit.occurredAt} />
                </li>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Part>
  );
}

/** What was watched, or what the visit was for. */
function watched({ kind, content }: Visit): string {
  if (!content) return labelOf(VisitKind, kind);
  const type = labelOf(WatchedType, content.contentType);
  return content.title ? `${content.title} (${type})` : type;
}

const tones: Record<Report["status"], Tone> = {
  REPORTADO: "orange",
  EN_PROGRESO: "blue",
  RESUELTO: "green",
  CERRADO: "gray",
  RECHAZADO: "gray",
};

export function Reports({ username }: { username: string }) {
  const { t } = useTranslation();
  const may = useMay();
  const more = useMoreRows(step, 4 * step);
  const reports = useQuery(customerQueries.reports(username, more.size));
  return (
    <Part title={t("customer.reports")}>
      <Loaded of={reports}>
        {({ content, totalElements }) =>
          content.length === 0 ? (
            <p className="quiet">{t("customer.noReports")}</p>
          ) : (
            <Rows total={totalElements} of={more}>
              {content.map((report) => (
                <li key={report.id}>
                  <span className="customer-row-main">
                    {may("ISSUES_READ") ? (
                      <Link to={paths.issue(report.id)}>{report.title}</Link>
                    ) : (
                      report.title
                    )}
                    <span className="quiet">
                      {[
                        report.content ?? labelOf(IssueContentType, report.contentType),
                        labelOf(ReportType, report.reportType),
                      ].join(" · ")}
                    </span>
                    <Time of={report.reportedDate} />
                  </span>
                  <ToneBadge tone={tones[report.status]}>{labelOf(ReportStatus, report.status)}</ToneBadge>
                </li>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Part>
  );
}
