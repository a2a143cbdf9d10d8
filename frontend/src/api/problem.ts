// The error class of failed calls, with the server's problem document and a text for users. It must
// not depend on screens.
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

/** Statuses of failures of the server itself, whose message does not help a user. */
const serverFailures = [500, 502, 503, 504];

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly violations: Violation[];
  readonly arguments: Record<string, unknown>;
  /** The stored entity, if another user changed it first (412). */
  readonly current: unknown;
  readonly requestId?: string;
  /** Whether the message is specific. */
  readonly isSpecific: boolean;

  constructor(
    status: number,
    body: ProblemBody = {},
    /** Seconds until a retry is allowed (`Retry-After`). */
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
    this.isSpecific = status === 0 || serverFailures.includes(status) || Boolean(body.message || body.detail);
  }

  /** The problem of a call without a response: a network failure. */
  static unreachable(): Problem {
    return new Problem(0);
  }

  get isNetwork(): boolean {
    return this.status === 0;
  }
}

function problemMessage(status: number, body: ProblemBody): string {
  if (status === 0) return t("errors.network");
  // Failures of the film database have a code and a message for users.
  if (serverFailures.includes(status) && body.code !== "UPSTREAM_FAILED") return t("errors.server");
  return body.message || body.detail || t("errors.unexpected");
}

/** The message of a thrown value, or the fallback of the caller. */
export function messageOf(error: unknown, otherwise = t("errors.unexpected")): string {
  return error instanceof Problem && error.isSpecific ? error.message : otherwise;
}

/** Whether the failure is a 404, so that a retry would not help. */
export function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}

/** The cached item, unless the server has answered 404 since. */
export function unlessMissing<Item>({
  data,
  error,
}: {
  data: Item | undefined;
  error: unknown;
}): Item | undefined {
  return isMissing(error) ? undefined : data;
}
