// Follows the server's events in one tab of this browser, which passes them on to the others: over HTTP/1.1 a browser has
// six connections for all of its tabs. Where no events arrive (a proxy that collects them, a browser that can't), what is
// under way is read from time to time.
import type { QueryClient } from "@tanstack/react-query";
import { type Activity, apply, type Part, parts, readAgain, readWhereItFailed } from "./queries";

/** Without an event or a heartbeat for so long, no events arrive. The server sends one every 15 seconds. */
const silence = 40_000;
/** How often it is read then, in milliseconds. */
const interval = 15_000;
/** A stream that the server refused is opened again after so long. */
const refusedPause = 30_000;

const address = "/api/events";
/** Of the lock that one tab holds, and of the channel to the others. */
const name = "cartelera-events";

interface Message {
  part: Part | "heartbeat";
  data: string;
}

/** Follows until the returned function is called. */
export function follow(client: QueryClient): () => void {
  const channel = new BroadcastChannel(name);
  let heardAt = Date.now();
  let holding = new AbortController();

  const take = ({ part, data }: Message) => {
    heardAt = Date.now();
    readWhereItFailed(client);
    if (part !== "heartbeat") apply(client, part, JSON.parse(data) as Activity[Part]);
  };
  channel.onmessage = (event: MessageEvent<Message>) => take(event.data);

  const listen = () => {
    holding.abort();
    holding = new AbortController();
    // A hidden tab needs no events. Browsers without locks (pages without https) use the timer below.
    if (document.hidden || !navigator.locks || !window.EventSource) return;
    const { signal } = holding;
    navigator.locks
      .request(name, { signal }, () =>
        streamUntil(signal, (message) => {
          take(message);
          channel.postMessage(message);
        }),
      )
      // Another tab had the lock until this one was hidden.
      .catch(() => {});
  };
  listen();
  document.addEventListener("visibilitychange", listen);
  const timer = setInterval(() => {
    if (document.hidden || Date.now() - heardAt < silence) return;
    readAgain(client).catch(() => {});
  }, interval);

  return () => {
    holding.abort();
    document.removeEventListener("visibilitychange", listen);
    clearInterval(timer);
    channel.close();
  };
}

/** Passes on what arrives, and opens the stream again where the server refused it, until it is aborted. */
function streamUntil(signal: AbortSignal, onMessage: (message: Message) => void): Promise<void> {
  return new Promise((ended) => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout>;
    const open = () => {
      source = new EventSource(address);
      for (const part of [...parts, "heartbeat"] as const)
        source.addEventListener(part, ({ data }: MessageEvent<string>) => onMessage({ part, data }));
      source.onerror = () => {
        // An answer that is no stream ends it for good; a lost connection is opened again by the browser.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, refusedPause);
      };
    };
    open();
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      source.close();
      ended();
    });
  });
}
