// Entries of the audit log and of the histories of single items.
import type { AuditEntry } from "../api/resourceItems";

export const historyEntry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  id: 1,
  occurredAt: "2026-11-20T10:00:00.000Z",
  actor: "eva",
  source: "REQUEST",
  address: "192.0.2.1",
  operationId: null,
  action: "UPDATED",
  resource: "movies",
  item: "1",
  title: "Metrópolis",
  version: 2,
  before: {},
  after: {},
  ...more,
});

export const historyPage = (content: AuditEntry[]) => ({
  content,
  page: 0,
  size: 20,
  totalPages: 1,
  totalElements: content.length,
});
