// What the page of backups reads from the server, and the backup it requests there.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
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

export function useRequestBackup() {
  const client = useQueryClient();
  return useMutation<Backup, Problem>({
    mutationFn: () => call("post", "/backups"),
    onSettled: () => client.invalidateQueries({ queryKey: backupsKey }),
  });
}
