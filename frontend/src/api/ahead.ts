// Calls that the document's script (app/firstScreen.ts) sends before the program is there. The program's first call of the
// same address takes the response instead of sending it again.
import { local } from "../storage";

/** Storage key of the last sign-in or sign-out in this browser; writing it notifies the other tabs. */
export const sessionEventKey = "cartelera.session";

declare global {
  /** What the script, which is a program of its own, hands to the panel. */
  var carteleraAhead: Map<string, { response: Promise<Response>; until: number }> | undefined;
}

const usableFor = 30_000;

/** Sends a call as the user of this browser. */
export function send(
  method: string,
  address: string,
  language: string,
  { headers, ...more }: RequestInit = {},
): Promise<Response> {
  return fetch(`${location.origin}/api${address}`, {
    ...more,
    method: method.toUpperCase(),
    credentials: "include",
    headers: { ...headers, "accept-language": language },
  });
}

export function sendAhead(method: string, address: string, language: string): void {
  const response = send(method, address, language);
  response.catch(() => {}); // The call is sent again.
  globalThis.carteleraAhead ??= new Map();
  globalThis.carteleraAhead.set(keyOf(method, address, language), {
    response,
    until: Date.now() + usableFor,
  });
}

/** The response of a call that was sent ahead, once; nothing unless it is a success: the call is then sent as any other. */
export function takeAhead(
  method: string,
  address: string,
  language: string,
): Promise<Response | undefined> | undefined {
  const key = keyOf(method, address, language);
  const found = globalThis.carteleraAhead?.get(key);
  globalThis.carteleraAhead?.delete(key);
  if (!found || Date.now() >= found.until) return undefined;
  return found.response.then(
    (response) => (response.ok ? response : undefined),
    () => undefined,
  );
}

export function dropAhead(): void {
  globalThis.carteleraAhead = undefined;
}

/** Responses differ by language, and by the user: another tab may have signed in another one since. */
function keyOf(method: string, address: string, language: string): string {
  return [method, address, language, local.get(sessionEventKey)].join(" ");
}
