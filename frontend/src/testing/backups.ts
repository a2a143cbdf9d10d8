// The part of the mock server that backups need.
import { HttpResponse, http } from "msw";
import type { Backup, BackupOverview } from "../features/backups/queries";

export function sampleBackup(id: number, change: Partial<Backup> = {}): Backup {
  return {
    id,
    origin: "SCHEDULE",
    requestedBy: null,
    state: "GOOD",
    fileName: `cartelera-${id}.db`,
    createdDate: "2026-11-20T10:15:00.000Z",
    finishedDate: "2026-11-20T10:15:03.000Z",
    durationMs: 3210,
    size: 1_234_567,
    detail: null,
    ...change,
  };
}

export const sampleOverview: BackupOverview = {
  enabled: true,
  everyHours: 24,
  keep: 7,
  lastGoodDate: "2026-11-20T10:15:00.000Z",
  overdue: false,
  backups: [],
};

export const backups = { overview: sampleOverview };

export const backupHandlers = [
  http.get("/api/backups", () => HttpResponse.json(backups.overview)),
  http.post("/api/backups", () => {
    const waiting = sampleBackup(99, {
      origin: "MANUAL",
      requestedBy: "ana",
      state: "WAITING",
      fileName: null,
      finishedDate: null,
      durationMs: null,
      size: null,
    });
    backups.overview = { ...backups.overview, backups: [waiting, ...backups.overview.backups] };
    return HttpResponse.json(waiting, { status: 202 });
  }),
];
