// The one door to the server: language, cookies, problems and the end of a session are handled here.
// Knows no screens and keeps no data.
import createClient, { type Middleware } from "openapi-fetch";
import { currentLanguage } from "../i18n";
import { Problem } from "./problem";
import type { paths } from "./schema.gen";

type Method = "get" | "post" | "put" | "patch" | "delete";

interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** The version that is being changed; the server refuses when it is no longer the newest. */
  ifVersion?: number;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

let whenUnauthorized: () => void = () => {};

/** Tells the session that the server no longer knows it. One listener: the session. */
export function onUnauthorized(listener: () => void): void {
  whenUnauthorized = listener;
}

// Signing in and out answer 401 for reasons of their own; everywhere else it means that the session is over.
const ownAnswers = ["/auth/login", "/auth/logout", "/auth/refresh"];

const language: Middleware = {
  onRequest({ request }) {
    request.headers.set("accept-language", currentLanguage());
    return request;
  },
};

const endOfSession: Middleware = {
  onResponse({ response, schemaPath }) {
    if (response.status === 401 && !ownAnswers.includes(schemaPath)) whenUnauthorized();
  },
};

export const client = createClient<paths>({
  baseUrl: `${location.origin}/api`,
  credentials: "include",
  // Looked up at the call, so that whoever replaces fetch later (tests do) is heard.
  fetch: (request) => globalThis.fetch(request),
  querySerializer: (query) =>
    new URLSearchParams(
      Object.entries(query).flatMap(([key, value]) =>
        value === undefined || value === "" ? [] : [[key, String(value)]],
      ),
    ).toString(),
});
client.use(language, endOfSession);

type Untyped = (
  method: string,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** Calls the server and answers the body, or throws a Problem. `Answer` is named by whoever knows the path. */
export async function call<Answer>(method: Method, path: string, options: CallOptions = {}): Promise<Answer> {
  const headers: Record<string, string> = {};
  if (options.ifVersion !== undefined) headers["if-match"] = `"${options.ifVersion}"`;
  if (options.idempotencyKey) headers["idempotency-key"] = options.idempotencyKey;
  // Paths are put together from a content kind, which openapi-fetch cannot follow; the answer's type is ours to name.
  const request = client.request as unknown as Untyped;
  let outcome: Awaited<ReturnType<Untyped>>;
  try {
    outcome = await request(method, path, {
      params: { query: options.query ?? {} },
      body: options.body,
      headers,
      signal: options.signal,
    });
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw failure;
    if (failure instanceof SyntaxError) throw new Problem(500);
    throw Problem.unreachable();
  }
  if (!outcome.response.ok) throw new Problem(outcome.response.status, asBody(outcome.error));
  return outcome.data as Answer;
}

function asBody(error: unknown): object {
  return typeof error === "object" && error !== null ? error : {};
}
