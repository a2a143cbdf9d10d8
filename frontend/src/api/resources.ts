// The calls of the resources that have the same operations (a list, an item, creating, replacing), for code that is
// generic over the resource. Names, bodies and responses are those of the schema.
import { request } from "./client";
import type { Operation, RequestBody, ResponseBody } from "./operations";
import type { Page } from "./page";
import type { components, paths } from "./schema.gen";

interface ItemOperations {
  get: object;
  put: object;
  delete: object;
}

interface ListOperations {
  get: object;
  post: object;
}

/** The name in a path of items, where the path of the list is there too. */
type NameOf<ItemPath> = ItemPath extends `/${infer Name}/{id}`
  ? paths extends Record<`/${Name}`, ListOperations>
    ? Name
    : never
  : never;

/** The first part of the paths of a list and its items: `movies`. */
export type Resource = {
  [P in keyof paths]: paths[P] extends ItemOperations ? NameOf<P> : never;
}[keyof paths];

// For a type parameter the compiler takes the types of all resources together; `as R` makes it look them up here instead
// of putting the parameter into the expression, which it could not evaluate.
type Rows = {
  [R in Resource as R]: ResponseBody<Operation<"get", `/${R}`>> extends Page<infer Row> ? Row : never;
};
type Items = { [R in Resource as R]: ResponseBody<Operation<"get", `/${R}/{id}`>> };
type Drafts = { [R in Resource as R]: RequestBody<Operation<"post", `/${R}`>> };
type Saved = {
  [R in Resource as R]: ResponseBody<Operation<"post", `/${R}`> | Operation<"put", `/${R}/{id}`>>;
};

export type RowOf<R extends Resource> = Rows[R];
export type ItemOf<R extends Resource> = Items[R];
export type DraftOf<R extends Resource> = Drafts[R];
export type SavedOf<R extends Resource> = Saved[R];

export interface Save<R extends Resource> {
  draft: DraftOf<R>;
  /** The item that is replaced; without it, one is created. */
  id?: number;
  /** The version that is replaced. */
  version?: number;
  idempotencyKey?: string;
}

/** One page of a list. The filters of a list are chosen at run time: they are not checked. */
export function getList<R extends Resource>(
  resource: R,
  query: Record<string, string | number | boolean | undefined>,
  signal: AbortSignal,
): Promise<Page<RowOf<R>>> {
  return request("get", `/${resource}`, { query, signal });
}

export function getItem<R extends Resource>(
  resource: R,
  id: number,
  signal: AbortSignal,
): Promise<ItemOf<R>> {
  return request("get", `/${resource}/${id}`, { signal });
}

/** Creates an item, or replaces one. */
export function saveItem<R extends Resource>(resource: R, save: Save<R>): Promise<SavedOf<R>> {
  const { draft: body, id, version, idempotencyKey } = save;
  return id === undefined
    ? request("post", `/${resource}`, { body, idempotencyKey })
    : request("put", `/${resource}/${id}`, { body, ifVersion: version });
}

/** Changes some fields of an item, in the version that was read. */
export function patchItem<R extends Resource>(
  resource: R,
  id: number,
  version: number,
  changes: Partial<DraftOf<R>>,
): Promise<SavedOf<R>> {
  return request("patch", `/${resource}/${id}`, { body: changes, ifVersion: version });
}

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

export type SpreadsheetColumn = components["schemas"]["SpreadsheetColumn"];

/** The columns that a spreadsheet of a list can have. */
export function getSpreadsheetColumns(file: string, signal: AbortSignal): Promise<SpreadsheetColumn[]> {
  return request("get", `/${file}/columns`, { signal });
}

/** The address of a spreadsheet of what a list shows; it is downloaded by the browser. */
export function spreadsheetAddress(file: string, query: Record<string, string>): string {
  return `/api/${file}?${new URLSearchParams(query)}`;
}

export type UploadedSpreadsheet = components["schemas"]["UploadedSpreadsheet"];

/** Uploads a file that is to be imported; of a workbook, the worksheet that is named. */
export function uploadSpreadsheet(
  resource: Resource | "users",
  file: File,
  worksheet?: string,
): Promise<UploadedSpreadsheet> {
  const query = { fileName: file.name.slice(0, 200), sheet: worksheet };
  return request("post", `/${resource}/spreadsheet-imports`, { query, body: file });
}

/** Uploads the file of a TV guide, which is read by a job. */
export function uploadGuide(guide: number, file: File): Promise<components["schemas"]["GuideFetch"]> {
  const query = { fileName: file.name.slice(0, 200) };
  return request("post", `/tv-guides/${guide}/upload`, { query, body: file });
}

/** Uploads a playlist, which is read and compared by a job. */
export function uploadPlaylist(
  source: number,
  file: File,
  acceptLoss: boolean,
): Promise<components["schemas"]["PlaylistRun"]> {
  const query = { fileName: file.name.slice(0, 200), acceptLoss };
  return request("post", `/playlist-sources/${source}/upload`, { query, body: file });
}

/** Imports a file that was uploaded, or shows what would change. */
export function importSpreadsheet(
  resource: Resource | "users",
  id: number,
  body: components["schemas"]["SheetImportRequest"],
  idempotencyKey?: string,
): Promise<components["schemas"]["Operation"]> {
  return request("post", `/${resource}/spreadsheet-imports/${id}/run`, { body, idempotencyKey });
}

/** The address of an empty spreadsheet; it is downloaded by the browser. */
export function templateAddress(resource: Resource | "users", query: Record<string, string>): string {
  return `/api/${resource}/spreadsheet/template?${new URLSearchParams(query)}`;
}

export type DuplicateGroup = components["schemas"]["DuplicateGroup"];
/** Kinds whose items are compared and merged. */
export type ComparedKind = "movies" | "documentaries" | "concerts" | "sports";
export type MergePreview = components["schemas"]["MergePreviewMovie"];

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
