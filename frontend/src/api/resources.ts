// The calls of the resources that have the same operations (a list, an item, creating, replacing), for code that is
// generic over the resource. Names, bodies and responses are those of the schema. What no list needs is in
// resourceFiles.ts and resourceItems.ts: this is downloaded with the first list.
import { currentLanguage } from "../i18n";
import { addressOf } from "./address";
import { takeBody } from "./ahead";
import { request } from "./client";
import type { Operation, RequestBody, ResponseBody } from "./operations";
import type { Page } from "./page";
import type { paths } from "./schema.gen";

interface ItemOperations {
  get: object;
  put: object;
  delete: object;
}

interface ListOperations {
  get: object;
  post: object;
}

/** The resource of an item path whose list path exists, too. */
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

/** The page that the document has requested, where it has been read by now. */
export function listAhead<R extends Resource>(
  resource: R,
  query: Record<string, string | number | boolean | undefined>,
): Page<RowOf<R>> | undefined {
  return takeBody(addressOf(`/${resource}`, query), currentLanguage()) as Page<RowOf<R>> | undefined;
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
