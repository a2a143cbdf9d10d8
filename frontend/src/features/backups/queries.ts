// What the page of backups reads from the server, and the backup it requests there.
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import { noticesKey } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";

export type BackupOverview = components["schemas"]["BackupOverview"];
export type Backup = components["schemas"]["Backup"];

const backupsKey = ["backups"] as const;
/** A backup that is being made is read again so often. */
const pollInterval = 2000;

export const isUnfinished = ({ state }: Backup) => state === "WAITING" || state === "RUNNING";

export const backupsQuery = queryOptions({
  queryKey: backupsKey,
  queryFn: ({ signal }) => call("get", "/backups", { signal }),
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.backups.some(isUnfinished) ? pollInterval : false),
});

/** The backups. The bell, which says that one is overdue, is read again when one that was being made has ended. */
export function useBackups() {
  const client = useQueryClient();
  const query = useQuery(backupsQuery);
  const isBusy = query.data?.backups.some(isUnfinished) ?? false;
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !isBusy) void client.invalidateQueries({ queryKey: noticesKey });
    wasBusy.current = isBusy;
  }, [client, isBusy]);
  return query;
}

export function useRequestBackup() {
  const client = useQueryClient();
  return useMutation<Backup, Problem>({
    mutationFn: () => call("post", "/backups"),
    onSettled: () => client.invalidateQueries({ queryKey: backupsKey }),
  });
}
