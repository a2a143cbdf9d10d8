// Badges of a report, by word, colour and shape: status, priority, type of content.
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { IssueContentType } from "../../api/enums/IssueContentType.gen";
import { Priority } from "../../api/enums/Priority.gen";
import { ReportStatus } from "../../api/enums/ReportStatus.gen";
import { labelOf } from "../../i18n/enums";
import { AlertIcon, CheckIcon } from "../../ui/icons";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { ArchiveIcon, BeginIcon, FlagIcon, RejectIcon } from "./icons";
import type { Report, Status } from "./queries";

const statuses: Record<Status, { tone: Tone; icon: ReactNode }> = {
  REPORTADO: { tone: "orange", icon: <AlertIcon size={12} /> },
  EN_PROGRESO: { tone: "blue", icon: <BeginIcon size={12} /> },
  RESUELTO: { tone: "green", icon: <CheckIcon size={12} /> },
  CERRADO: { tone: "gray", icon: <ArchiveIcon size={12} /> },
  RECHAZADO: { tone: "red", icon: <RejectIcon size={12} /> },
};

export function IssueStatusBadge({ status }: { status: Status }) {
  useTranslation(); // The name follows the language.
  return <ToneBadge {...statuses[status]}>{labelOf(ReportStatus, status)}</ToneBadge>;
}

/** A link of its item was down and plays again since the report came. */
export function PlaysAgainBadge() {
  const { t } = useTranslation();
  return (
    <ToneBadge tone="green" icon={<CheckIcon size={12} />}>
      {t("issues.links.playsAgain")}
    </ToneBadge>
  );
}

const priorities: Record<Report["priority"], { tone: Tone; icon?: ReactNode }> = {
  LOW: { tone: "gray" },
  MEDIUM: { tone: "cyan" },
  HIGH: { tone: "yellow", icon: <FlagIcon size={12} /> },
  CRITICAL: { tone: "red", icon: <AlertIcon size={12} /> },
};

export function PriorityBadge({ priority }: { priority: Report["priority"] }) {
  useTranslation();
  return <ToneBadge {...priorities[priority]}>{labelOf(Priority, priority)}</ToneBadge>;
}

export function ContentTypeBadge({ type }: { type: Report["contentType"] }) {
  useTranslation();
  return <ToneBadge tone="violet">{labelOf(IssueContentType, type)}</ToneBadge>;
}
