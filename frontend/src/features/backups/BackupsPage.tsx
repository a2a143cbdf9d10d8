// The log of backups: when the last good one was made, how each ended, and a button that requests one.
import { Alert, Button, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { BackupOrigin } from "../../api/enums/BackupOrigin.gen";
import { BackupState } from "../../api/enums/BackupState.gen";
import { messageOf } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { formatMoment, formatNumber } from "../../i18n/formats";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { AlertIcon } from "../../ui/icons";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { toast } from "../../ui/toast";
import "./backups.css";
import { type Backup, type BackupOverview, backupsQuery, isUnfinished, useRequestBackup } from "./queries";

const tones: Record<Backup["state"], Tone> = {
  WAITING: "gray",
  RUNNING: "blue",
  GOOD: "green",
  FAILED: "red",
};

export default function BackupsPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(backupsQuery);
  const request = useRequestBackup();
  const start = () =>
    request.mutate(undefined, {
      onSuccess: () => toast.success(t("backups.requested")),
      onError: (failure) => toast.failure(t("backups.notRequested"), messageOf(failure)),
    });
  return (
    <>
      <PageHeading
        title={t("backups.title")}
        actions={
          data?.enabled && (
            <Button onClick={start} loading={request.isPending} disabled={data.backups.some(isUnfinished)}>
              {t("backups.start")}
            </Button>
          )
        }
      />
      {data ? (
        <Overview of={data} />
      ) : error ? (
        <ErrorView title={t("backups.error")} message={messageOf(error)} onRetry={() => void refetch()} />
      ) : (
        <PageSkeleton />
      )}
    </>
  );
}

function Overview({ of: overview }: { of: BackupOverview }) {
  const { t } = useTranslation();
  const { enabled, everyHours, keep, lastGoodDate, overdue, backups } = overview;
  const lastGood = lastGoodDate ? formatMoment(lastGoodDate) : t("backups.none");
  return (
    <>
      {overdue && (
        <Alert color="red" variant="default" icon={<AlertIcon />} title={t("backups.overdue.title")} mb="md">
          {t("backups.overdue.why", { lastGood })}
        </Alert>
      )}
      <p className="backups-summary">
        {enabled
          ? t("backups.summary", {
              hours: formatNumber(everyHours ?? 0),
              keep: formatNumber(keep ?? 0),
              lastGood,
            })
          : t("backups.off")}
      </p>
      {backups.length === 0 ? (
        <Empty>{t("backups.nothing")}</Empty>
      ) : (
        <Table.ScrollContainer minWidth={720}>
          <Table aria-label={t("backups.title")} className="backups">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("backups.fields.createdDate")}</Table.Th>
                <Table.Th>{t("backups.fields.origin")}</Table.Th>
                <Table.Th>{t("backups.fields.state")}</Table.Th>
                <Table.Th className="backups-number">{t("backups.fields.duration")}</Table.Th>
                <Table.Th className="backups-number">{t("backups.fields.size")}</Table.Th>
                <Table.Th>{t("backups.fields.outcome")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {backups.map((backup) => (
                <Row key={backup.id} of={backup} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
}

function Row({ of: backup }: { of: Backup }) {
  const { t } = useTranslation();
  const origin = labelOf(BackupOrigin, backup.origin);
  return (
    <Table.Tr>
      <Table.Td className="tabular">{formatMoment(backup.createdDate)}</Table.Td>
      <Table.Td>{backup.requestedBy ? `${origin} (${backup.requestedBy})` : origin}</Table.Td>
      <Table.Td>
        <ToneBadge tone={tones[backup.state]}>{labelOf(BackupState, backup.state)}</ToneBadge>
      </Table.Td>
      <Table.Td className="tabular backups-number">
        {backup.durationMs == null
          ? "—"
          : t("backups.seconds", { seconds: formatNumber(seconds(backup.durationMs)) })}
      </Table.Td>
      <Table.Td className="tabular backups-number">
        {backup.size == null
          ? "—"
          : t("backups.kilobytes", { kilobytes: formatNumber(Math.ceil(backup.size / 1000)) })}
      </Table.Td>
      <Table.Td className="backups-outcome">{backup.fileName ?? backup.detail ?? "—"}</Table.Td>
    </Table.Tr>
  );
}

/** One decimal. */
function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
