// Who changed something, when and from where, with the values before and after.
import { Button, Group } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { AuditAction } from "../api/enums/AuditAction.gen";
import type { Page } from "../api/page";
import { messageOf } from "../api/problem";
import type { AuditEntry } from "../api/resourceItems";
import { labelOf } from "../i18n/enums";
import { formatMoment } from "../i18n/formats";
import { Dialog } from "../ui/Dialog";
import { Empty } from "../ui/Empty";
import { ErrorView } from "../ui/ErrorView";
import { PageSkeleton } from "../ui/PageSkeleton";
import { toast } from "../ui/toast";
import { EntryOrigin } from "./EntryOrigin";
import "./history.css";

interface HistoryDialogProps {
  name: string;
  queryKey: readonly unknown[];
  load: (page: number, signal: AbortSignal) => Promise<Page<AuditEntry>>;
  /** The present version. */
  version: number;
  /** What an entry has changed. */
  changesOf: (entry: AuditEntry) => ReactNode;
  /** Restores an earlier version, where that can be done. */
  onRestore?: (version: number) => Promise<void>;
  onClose: () => void;
}

export function HistoryDialog(props: HistoryDialogProps) {
  const { name, version, onRestore, onClose } = props;
  const { t } = useTranslation();
  const history = useInfiniteQuery({
    queryKey: ["history", ...props.queryKey],
    queryFn: ({ pageParam, signal }) => props.load(pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ page, totalPages }) => (page + 1 < totalPages ? page + 1 : undefined),
    staleTime: 0,
  });
  const entries = history.data?.pages.flatMap((page) => page.content);
  // Notes and the like make no version.
  const oldest = entries?.filter((entry) => entry.version !== null).at(-1);
  const restore = useMutation({
    mutationFn: async (earlier: number) => onRestore?.(earlier),
    onError: (problem) => toast.failure(t("history.versionFailed"), messageOf(problem)),
  });
  const button = (earlier: number) =>
    onRestore &&
    earlier < version && (
      <Button
        variant="default"
        size="compact-sm"
        loading={restore.isPending && restore.variables === earlier}
        onClick={() => restore.mutate(earlier)}
      >
        {t("history.restoreVersion")}
      </Button>
    );

  return (
    <Dialog title={t("history.title", { name })} onClose={onClose} size="lg">
      {history.error && !entries ? (
        <ErrorView
          title={t("history.failed")}
          message={messageOf(history.error)}
          onRetry={() => void history.refetch()}
        />
      ) : !entries ? (
        <PageSkeleton />
      ) : entries.length === 0 ? (
        <Empty>{t("history.nothing")}</Empty>
      ) : (
        <ol className="history">
          {entries.map((entry) => (
            <Entry
              key={entry.id}
              changes={props.changesOf(entry)}
              of={entry}
              isNow={entry.version === version}
            >
              {entry.version !== null && entry.action !== "DELETED" && button(entry.version)}
            </Entry>
          ))}
          {onRestore &&
            !history.hasNextPage &&
            oldest &&
            oldest.action !== "CREATED" &&
            (oldest.version ?? 0) > 1 && (
              <li>
                <Group justify="space-between">
                  <span className="quiet">{t("history.before")}</span>
                  {button((oldest.version ?? 0) - 1)}
                </Group>
              </li>
            )}
        </ol>
      )}
      {history.hasNextPage && (
        <Button
          variant="default"
          loading={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {t("history.more")}
        </Button>
      )}
    </Dialog>
  );
}

interface EntryProps {
  changes: ReactNode;
  of: AuditEntry;
  isNow: boolean;
  children: ReactNode;
}

function Entry({ of: entry, isNow, changes, children }: EntryProps) {
  const { t } = useTranslation();
  return (
    <li>
      <Group justify="space-between" align="flex-start">
        <span>
          <strong>{labelOf(AuditAction, entry.action)}</strong>{" "}
          <time dateTime={entry.occurredAt} className="tabular">
            {formatMoment(entry.occurredAt)}
          </time>
          <EntryOrigin of={entry} />
          <span className="quiet">
            {isNow
              ? t("history.now")
              : entry.version !== null && t("history.version", { version: entry.version })}
          </span>
        </span>
        {children}
      </Group>
      {changes}
    </li>
  );
}
