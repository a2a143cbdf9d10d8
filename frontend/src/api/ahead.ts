// Calls that the document's script (app/firstScreen.ts) sends before the program is there. The program's first call of the
// same address takes the response instead of sending it again.
import { local } from "../storage";
import type { Method } from "./operations";

/** Storage key of the last sign-in or sign-out in this browser; writing it notifies the other tabs. */
export const sessionEventKey = "cartelera.session";

declare global {
  /** What the script, which is a program of its own, hands to the panel: responses, and when they were requested. */
  var sentAhead: Record<string, [response: Promise<Response>, at: number, body?: unknown]> | undefined;
}

const usableFor = 30_000;

/** Sends a call as the user of this browser. */
export function send(address: string, language: string, call: RequestInit): Promise<Response> {
  return fetch(`/api${address}`, { ...call, headers: { ...call.headers, "accept-language": language } });
}

export function sendAhead(method: Method, address: string, language: string): void {
  const response = send(address, language, { method });
  response.catch(() => {}); // The call is sent again.
  globalThis.sentAhead ??= {};
  globalThis.sentAhead[keyOf(method, address, language)] = [response, Date.now()];
}

/** The response of a call that was sent ahead, once; nothing unless it is a success: the call is then sent as any other. */
export function takeAhead(
  method: Method,
  address: string,
  language: string,
): Promise<Response | undefined> | undefined {
  return takeEntry(method, address, language)?.[0].then(
    (found) => (found.ok ? found : undefined),
    () => undefined,
  );
}

/** Reads the rows of calls that were sent ahead, so that they are there when a screen is rendered. */
export function readAhead(): Promise<unknown> {
  return Promise.allSettled(
    Object.entries(globalThis.sentAhead ?? {}).map(async ([key, entry]) => {
      const response = await entry[0];
      // A copy: who needs it before it is read takes the response.
      if (response.ok && key.startsWith("get")) entry[2] = await response.clone().json();
    }),
  );
}

/** The body of a response that was read, once. */
export function takeBody(address: string, language: string): unknown {
  const isRead = globalThis.sentAhead?.[keyOf("get", address, language)]?.[2];
  return isRead && takeEntry("get", address, language)?.[2];
}

function takeEntry(method: Method, address: string, language: string) {
  const key = keyOf(method, address, language);
  const entry = globalThis.sentAhead?.[key];
  delete globalThis.sentAhead?.[key];
  if (entry && Date.now() < entry[1] + usableFor) return entry;
}

export function dropAhead(): void {
  globalThis.sentAhead = undefined;
}

/** Responses differ by language, and by the user: another tab may have signed in another one since. */
function keyOf(method: Method, address: string, language: string): string {
  return `${method} ${address} ${language} ${local.get(sessionEventKey)}`;
}
