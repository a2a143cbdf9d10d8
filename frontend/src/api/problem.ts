// What a failed call becomes: one error class that carries the server's problem document and a text
// for users. It must not depend on screens.
import { t } from "../i18n";

/** One broken rule; `field` is the path inside the body, like `links[0].url`. */
export interface Violation {
  field: string;
  code: string;
  message?: string;
  arguments?: Record<string, unknown>;
}

interface ProblemBody {
  code?: string;
  message?: string;
  detail?: string;
  errorCode?: string | null;
  errors?: Violation[];
  arguments?: Record<string, unknown>;
  current?: unknown;
  requestId?: string;
}

/** The statuses whose cause is the server's own: its message would not help a user. */
const serverFailures = [500, 502, 503, 504];

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly violations: Violation[];
  readonly arguments: Record<string, unknown>;
  /** The stored entity, if another user changed it first (412). */
  readonly current: unknown;
  readonly requestId?: string;
  /** Whether its message says more than that something went wrong. */
  readonly isTelling: boolean;

  constructor(
    status: number,
    body: ProblemBody = {},
    /** In how many seconds it may be tried again, as the server says it. */
    readonly retryAfter: string | null = null,
  ) {
    super(problemMessage(status, body));
    this.name = "Problem";
    this.status = status;
    this.code = body.code ?? body.errorCode ?? "";
    this.violations = body.errors ?? [];
    this.arguments = body.arguments ?? {};
    this.current = body.current;
    this.requestId = body.requestId;
    this.isTelling = status === 0 || serverFailures.includes(status) || Boolean(body.message || body.detail);
  }

  /** No answer came: the network, not the server. */
  static unreachable(): Problem {
    return new Problem(0);
  }

  get isNetwork(): boolean {
    return this.status === 0;
  }
}

function problemMessage(status: number, body: ProblemBody): string {
  if (status === 0) return t("errors.network");
  // The server says which failures are those of the film database, with a message worth showing.
  if (serverFailures.includes(status) && body.code !== "UPSTREAM_FAILED") return t("errors.server");
  return body.message || body.detail || t("errors.unexpected");
}

/** The words for any thrown value; where it has none of its own, the caller's. */
export function messageOf(error: unknown, otherwise = t("errors.unexpected")): string {
  return error instanceof Problem && error.isTelling ? error.message : otherwise;
}

/** What is not there will not be there for asking again. */
export function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}

/** What is kept of an item, unless the server says by now that it is gone, or no longer for the caller. */
export function unlessMissing<Item>({
  data,
  error,
}: {
  data: Item | undefined;
  error: unknown;
}): Item | undefined {
  return isMissing(error) ? undefined : data;
}
