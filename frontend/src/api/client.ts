// Calls to the server: language, cookies, problems and the end of a session are handled here.
// Independent of screens; stores no data.
import { currentLanguage } from "../i18n";
import { addressOf, type Query } from "./address";
import { dropAhead, send, takeAhead } from "./ahead";
import type { Arguments, CallHeaders, CheckedPath, Method, Operation, ResponseBody } from "./operations";
import { Problem } from "./problem";

interface RequestOptions extends CallHeaders {
  query?: Query;
  body?: unknown;
}

/** Receives when the call was sent and whether it is a repetition; resolves to whether the call is sent again. */
type UnauthorizedListener = (sentAt: number, isRepeated: boolean) => Promise<boolean>;

let whenUnauthorized: UnauthorizedListener = async () => false;

/** Sets the only listener, the session: it is called when a call is answered 401. */
export function onUnauthorized(listener: UnauthorizedListener): void {
  whenUnauthorized = listener;
}

// 401 of these paths does not end the session: sign-in and sign-out answer it for other reasons, and requests of a timer must not
// interrupt the user. 401 of every other path means that the session has expired.
const ownAnswers = ["/auth/login", "/auth/logout", "/auth/refresh", "/activity"];

/** Calls the server and returns the body, or throws a Problem. Path, query, body and response are those of the schema. */
export function call<M extends Method, Path extends string>(
  method: M,
  path: CheckedPath<M, Path>,
  ...[options]: Arguments<Operation<M, Path>>
): Promise<ResponseBody<Operation<M, Path>>> {
  return request(method, path, options);
}

/** Sends a call whose types were checked by its caller: `call`, or those of resources.ts. */
export async function request<Body>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<Body> {
  const address = addressOf(path, options.query);
  let sentAhead = takeAhead(method, address, currentLanguage());
  // A response from before a change or of another session is not shown.
  if (method !== "get" && !sentAhead) dropAhead();
  let response: Response;
  let sentAt: number;
  let times = 0;
  // A call that was answered 401 was not carried out. Once the session is known to go on, or the same user has signed
  // in again, it is sent as it was, under the same Idempotency-Key.
  do {
    sentAt = performance.now();
    response = (sentAhead && (await sentAhead)) ?? (await sendNow(method, address, options));
    sentAhead = undefined;
  } while (
    response.status === 401 &&
    !ownAnswers.includes(path) &&
    (await whenUnauthorized(sentAt, times++ > 0))
  );
  const text = await textOf(response);
  if (!response.ok) throw new Problem(response.status, asProblem(text), response.headers.get("retry-after"));
  try {
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  } catch {
    throw new Problem(500);
  }
}

async function sendNow(method: Method, address: string, options: RequestOptions): Promise<Response> {
  const headers: Record<string, string> = {};
  const isFile = options.body instanceof Blob;
  if (options.body !== undefined)
    headers["content-type"] = isFile ? "application/octet-stream" : "application/json";
  if (options.ifVersion !== undefined) headers["if-match"] = `"${options.ifVersion}"`;
  if (options.idempotencyKey) headers["idempotency-key"] = options.idempotencyKey;
  try {
    return await send(address, currentLanguage(), {
      method: method.toUpperCase(),
      headers,
      body: options.body === undefined ? undefined : bodyOf(options.body),
      signal: options.signal,
    });
  } catch (failure) {
    throw unreachable(failure);
  }
}

function bodyOf(body: unknown): BodyInit {
  return body instanceof Blob ? body : JSON.stringify(body);
}

/** Reads the body; the connection may still break while it does. */
async function textOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (failure) {
    throw unreachable(failure);
  }
}

function unreachable(failure: unknown): unknown {
  const isAborted = failure instanceof DOMException && failure.name === "AbortError";
  return isAborted ? failure : Problem.unreachable();
}

/** The problem document of a body; empty where the body is not one, such as the page of a proxy. */
function asProblem(text: string): object {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
