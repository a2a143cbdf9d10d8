// The log of backups: when the last good one was made, how each ended, and a button that requests one.
import { Alert, Button } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useTranslation } from "react-i18next";
import { BackupOrigin } from "../../api/enums/BackupOrigin.gen";
import { BackupState } from "../../api/enums/BackupState.gen";
import { messageOf } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { formatMoment, formatNumber } from "../../i18n/formats";
import { DayAndTime } from "../../ui/DayAndTime";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { AlertIcon } from "../../ui/icons";
import type { Column } from "../../ui/list/columns";
import { ShortList } from "../../ui/list/ShortList";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { toast } from "../../ui/toast";
import "./backups.css";
import { type Backup, type BackupOverview, isUnfinished, useBackups, useRequestBackup } from "./queries";

const tones: Record<Backup["state"], Tone> = {
  WAITING: "gray",
  RUNNING: "blue",
  GOOD: "green",
  FAILED: "red",
};

export default function BackupsPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useBackups();
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
      {backups.length === 0 ? <Empty>{t("backups.nothing")}</Empty> : <Log of={backups} />}
    </>
  );
}

function Log({ of: backups }: { of: readonly Backup[] }) {
  const { t } = useTranslation();
  const originOf = ({ origin, requestedBy }: Backup) => {
    const label = labelOf(BackupOrigin, origin);
    return requestedBy ? `${label} (${requestedBy})` : label;
  };
  const columns: Column<Backup>[] = [
    {
      key: "createdDate",
      label: t("backups.fields.createdDate"),
      width: "10.5rem",
      isIdentity: true,
      render: ({ createdDate }) => <DayAndTime of={createdDate} />,
    },
    { key: "origin", label: t("backups.fields.origin"), width: "11rem", onCard: true, render: originOf },
    {
      key: "state",
      label: t("backups.fields.state"),
      width: "8rem",
      onCard: true,
      render: ({ state }) => <ToneBadge tone={tones[state]}>{labelOf(BackupState, state)}</ToneBadge>,
    },
    {
      key: "duration",
      label: t("backups.fields.duration"),
      width: "7rem",
      align: "right",
      onCard: true,
      render: ({ durationMs }) =>
        durationMs == null ? "—" : t("backups.seconds", { seconds: formatNumber(seconds(durationMs)) }),
    },
    {
      key: "size",
      label: t("backups.fields.size"),
      width: "8rem",
      align: "right",
      onCard: true,
      render: ({ size }) =>
        size == null ? "—" : t("backups.kilobytes", { kilobytes: formatNumber(Math.ceil(size / 1000)) }),
    },
    {
      key: "outcome",
      label: t("backups.fields.outcome"),
      onCard: true,
      render: ({ fileName, detail }) => <span className="backups-outcome">{fileName ?? detail ?? "—"}</span>,
    },
  ];
  return <ShortList label={t("backups.title")} columns={columns} rows={backups} />;
}

/** One decimal. */
function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
