// The calls about items of any resource that no list needs: the trash, duplicates and history.
import { request } from "./client";
import type { comparedKinds } from "./completeness.gen";
import type { Page } from "./page";
import type { ItemOf, Resource } from "./resources";
import type { components } from "./schema.gen";

export type AuditEntry = components["schemas"]["AuditEntry"];
export type EarlierVersion = components["schemas"]["EarlierVersion"];

/** Takes an item out of the trash; the changes are fields that get another value. */
export function restoreItem<R extends Resource>(
  resource: R,
  id: number,
  changes: Record<string, unknown>,
  /** Whether it may have the natural key of another item. */
  duplicate: boolean,
): Promise<ItemOf<R>> {
  return request("post", `/${resource}/${id}/restore`, { query: { duplicate }, body: changes });
}

export type DuplicateGroup = components["schemas"]["DuplicateGroup"];
/** Kinds whose items are compared, and merged. Episodes have the permissions of their show. */
export type ComparedKind = (typeof comparedKinds)[number] | "episodes";
export type MergePreview =
  | components["schemas"]["MergePreviewEpisode"]
  | components["schemas"]["MergePreviewMovie"]
  | components["schemas"]["MergePreviewRadioStation"]
  | components["schemas"]["MergePreviewTvChannel"]
  | components["schemas"]["MergePreviewTvShow"];

/** A page of items that are probably the same, in groups. */
export function getDuplicates(
  kind: ComparedKind,
  query: Record<string, string | number>,
  signal: AbortSignal,
): Promise<Page<DuplicateGroup>> {
  return request("get", `/${kind}/duplicates`, { query, signal });
}

/** Two items, and what they will be together. */
export function getMergePreview(
  kind: ComparedKind,
  id: number,
  mergedId: number,
  signal: AbortSignal,
): Promise<MergePreview> {
  return request("get", `/${kind}/${id}/merge`, { query: { mergedId }, signal });
}

/** Merges an item into another of its kind, both in the version that was read. */
export function mergeItems(
  kind: ComparedKind,
  kept: { id: number; version: number },
  merged: { id: number; version: number },
): Promise<ItemOf<ComparedKind>> {
  const body = { version: kept.version, mergedId: merged.id, mergedVersion: merged.version };
  return request("post", `/${kind}/${kept.id}/merge`, { body });
}

/** A page of who changed an item, newest first. */
export function getHistory(
  resource: Resource,
  id: number,
  page: number,
  signal: AbortSignal,
): Promise<Page<AuditEntry>> {
  return request("get", `/${resource}/${id}/history`, { query: { _page: page }, signal });
}

/** An item as it was in an earlier version. */
export function getVersion(
  resource: Resource,
  id: number,
  version: number,
  signal?: AbortSignal,
): Promise<EarlierVersion> {
  return request("get", `/${resource}/${id}/history/${version}`, { signal });
}
