// The columns of the two lists: reports one by one, and grouped by what they are about.
import { ReportType } from "../../api/enums/ReportType.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatMoment, formatNumber } from "../../i18n/formats";
import { formatClock, formatList, formatShortDay } from "../../i18n/lazyFormats";
import type { Column } from "../../ui/list/columns";
import { Dash } from "../../ui/values";
import { ContentTypeBadge, IssueStatusBadge, PlaysAgainBadge, PriorityBadge } from "./badges";
import { type Group, isOpen, type ReportRow } from "./queries";

/** To the minute, by a clock of twelve hours; to the second on hover. */
export function Minute({ of: moment }: { of: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="tabular issue-date">
      {formatShortDay(moment)} <span>{formatClock(moment)}</span>
    </time>
  );
}

const shown = 2;

/** The most frequent ones; the others on hover. */
function ReportTypes({ of: types }: { of: Group["reportTypes"] }) {
  const names = types.map((type) => labelOf(ReportType, type));
  const count = names.length - shown;
  return (
    <span title={formatList(names)}>
      {count > 0
        ? t("issues.moreTypes", { types: names.slice(0, shown).join(", "), count })
        : formatList(names)}
    </span>
  );
}

export function reportColumns(): Column<ReportRow>[] {
  return [
    {
      key: "id",
      label: t("issues.fields.id"),
      sortable: true,
      onCard: true,
      width: "5rem",
      needsRoom: true,
      render: (row) => <span className="tabular">{row.id}</span>,
    },
    {
      key: "title",
      label: t("issues.fields.title"),
      sortable: true,
      isIdentity: true,
      render: (row) => row.title,
    },
    {
      key: "contentType",
      label: t("issues.fields.content"),
      sortable: true,
      onCard: true,
      // Names of items are long where there is space for them.
      width: "clamp(9.75rem, 15vw, 16rem)",
      render: (row) => (
        <span className="issue-content">
          <ContentTypeBadge type={row.contentType} />
          {row.content && <span className="quiet">{row.content}</span>}
        </span>
      ),
    },
    {
      key: "reportedDate",
      label: t("issues.fields.reportedDate"),
      sortable: true,
      onCard: true,
      width: "6.5rem",
      render: (row) => <Minute of={row.reportedDate} />,
    },
    {
      key: "reportType",
      label: t("issues.fields.reportType"),
      sortable: true,
      onCard: true,
      width: "9rem",
      needsRoom: true,
      render: (row) => labelOf(ReportType, row.reportType),
    },
    {
      key: "status",
      label: t("issues.fields.status"),
      sortable: true,
      onCard: true,
      width: "8.5rem",
      render: (row) => (
        <span className="issue-content">
          <IssueStatusBadge status={row.status} />
          {row.playsAgain && isOpen(row) && <PlaysAgainBadge />}
        </span>
      ),
    },
    {
      key: "priority",
      label: t("issues.fields.priority"),
      sortable: true,
      onCard: true,
      width: "7rem",
      needsRoom: true,
      render: (row) => <PriorityBadge priority={row.priority} />,
    },
    {
      key: "assignedTo",
      label: t("issues.fields.assignedTo"),
      sortable: true,
      isOptional: true,
      width: "9rem",
      render: (row) => row.assignedTo ?? <Dash />,
    },
  ];
}

export function groupColumns(): Column<Group>[] {
  return [
    {
      key: "title",
      label: t("issues.fields.content"),
      isIdentity: true,
      inFile: ["contentType"],
      render: (row) => row.title,
    },
    {
      key: "reports",
      label: t("issues.fields.reports"),
      inFile: ["inProgress"],
      sortable: true,
      onCard: true,
      align: "right",
      width: "7.5rem",
      render: (row) => (
        <>
          <strong>{formatNumber(row.reports)}</strong>
          {row.inProgress > 0 && (
            <span className="quiet issue-begun">
              {t("issues.begun", { count: row.inProgress, number: formatNumber(row.inProgress) })}
            </span>
          )}
        </>
      ),
    },
    {
      key: "reportTypes",
      label: t("issues.fields.reportTypes"),
      onCard: true,
      width: "12rem",
      needsRoom: true,
      render: (row) => <ReportTypes of={row.reportTypes} />,
    },
    {
      key: "firstDate",
      label: t("issues.fields.firstDate"),
      width: "8.5rem",
      needsRoom: true,
      render: (row) => <Minute of={row.firstDate} />,
    },
    {
      key: "lastDate",
      label: t("issues.fields.lastDate"),
      sortable: true,
      onCard: true,
      width: "9.5rem",
      render: (row) => <Minute of={row.lastDate} />,
    },
    {
      key: "priority",
      label: t("issues.fields.priority"),
      onCard: true,
      width: "7rem",
      render: (row) => <PriorityBadge priority={row.priority} />,
    },
    {
      key: "assignedTo",
      label: t("issues.fields.assignedTo"),
      isOptional: true,
      width: "9rem",
      render: (row) => (row.assignedTo.length > 0 ? formatList(row.assignedTo) : <Dash />),
    },
  ];
}
