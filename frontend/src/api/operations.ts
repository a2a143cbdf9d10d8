// The operations of the API by method and path, as calls write them: `/users/${name}/sessions` is the operation of
// `/users/{username}/sessions`. Types only.
import type { paths } from "./schema.gen";

export type Method = "get" | "post" | "put" | "patch" | "delete";

type Segments<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? [First, ...Segments<Rest>]
  : [Path];

/** A value inserted into a path; literals are compared with those of the schema. */
type IsValue<Segment extends string> = string extends Segment
  ? true
  : `${number}` extends Segment
    ? true
    : false;

type IsSegment<Segment extends string, Pattern extends string> = Pattern extends `{${string}}`
  ? IsValue<Segment>
  : Segment extends Pattern
    ? true
    : false;

type Matches<Written extends string[], Pattern extends string[]> = Written extends [
  infer W extends string,
  ...infer Ws extends string[],
]
  ? Pattern extends [infer P extends string, ...infer Ps extends string[]]
    ? IsSegment<W, P> extends true
      ? Matches<Ws, Ps>
      : false
    : false
  : Pattern extends []
    ? true
    : false;

type SchemaPath<Path extends string> = Path extends keyof paths
  ? Path
  : {
      [P in keyof paths]: Matches<Segments<Path>, Segments<P>> extends true ? P : never;
    }[keyof paths];

/** A path that may be one of several: each of them needs the operation. */
export type CheckedPath<M extends Method, Path extends string> = Path extends unknown
  ? [Operation<M, Path>] extends [never]
    ? never
    : Path
  : never;

/** The operation of a path; `never` if the API has none. */
export type Operation<M extends Method, Path extends string> = NonNullable<paths[SchemaPath<Path>][M]>;

type JsonType = "application/json" | "application/merge-patch+json";

type Json<Message> = Message extends { content: infer Content }
  ? Content[keyof Content & JsonType]
  : undefined;

/** The request body: JSON or a file. */
type Sent<Message> = Message extends { content: { "application/octet-stream": unknown } }
  ? Blob
  : Json<Message>;

type Success = 200 | 201 | 202 | 204;

export type ResponseBody<Op> = Op extends { responses: infer Responses }
  ? { [Status in keyof Responses & Success]: Json<Responses[Status]> }[keyof Responses & Success]
  : never;

export type RequestBody<Op> = Op extends { requestBody?: infer Message } ? Sent<NonNullable<Message>> : never;

type QueryOf<Op> = Op extends { parameters: { query?: infer Query } } ? Query : undefined;

/** Options of every call. */
export interface CallHeaders {
  /** The version being changed; the server refuses the change if it is no longer the newest. */
  ifVersion?: number;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

interface Options<Op, Body> extends CallHeaders {
  query?: QueryOf<Op>;
  body: Body;
}

/** The arguments of a call after its path; the body is required where the operation requires one. */
export type Arguments<Op> = Op extends { requestBody: infer Required }
  ? [options: Options<Op, Sent<Required>>]
  : Op extends { requestBody?: infer Optional }
    ? [options?: Partial<Options<Op, Sent<Optional>>>]
    : [options?: Partial<Options<Op, undefined>>];
