// Follows the server's events in one tab of this browser, which passes them on to the others: over HTTP/1.1 a browser has
// six connections for all of its tabs. Where no events arrive (a buffering proxy, a browser without support), the state is
// polled.
import type { QueryClient } from "@tanstack/react-query";
import { connection } from "../loading/release";
import { type Activity, apply, type Part, parts, readAgain, readWhereItFailed } from "./queries";

/** Milliseconds without an event or a heartbeat after which polling begins. The server sends one every 15 seconds. */
const silence = 40_000;
/** Interval of polling in milliseconds. */
const interval = 15_000;
/** Milliseconds until a refused stream is opened again. */
const refusedPause = 30_000;

const address = "/api/events";
/** Name of the lock that one tab holds, and of the broadcast channel to the others. */
const name = "cartelera-events";

interface Message {
  part: Part | "heartbeat" | "connected" | "disconnected";
  data: string;
}

/** A server that is back is the same as a network that is back: parts that could not be loaded are loaded then. */
function setConnected(isConnected: boolean): void {
  const isBack = isConnected && connection.isLost;
  connection.isLost = !isConnected;
  if (isBack) window.dispatchEvent(new Event("online"));
}

/** Follows until the returned function is called. */
export function follow(client: QueryClient): () => void {
  const channel = new BroadcastChannel(name);
  let heardAt = Date.now();
  let holding = new AbortController();

  const take = ({ part, data }: Message) => {
    if (part === "connected" || part === "disconnected") return setConnected(part === "connected");
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
    readAgain(client).then(
      () => setConnected(true),
      () => {},
    );
  }, interval);

  return () => {
    holding.abort();
    document.removeEventListener("visibilitychange", listen);
    clearInterval(timer);
    channel.close();
    connection.isLost = false;
  };
}

/** Forwards events, and opens a refused stream again, until it is aborted. */
function streamUntil(signal: AbortSignal, onMessage: (message: Message) => void): Promise<void> {
  return new Promise((ended) => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout>;
    const open = () => {
      source = new EventSource(address);
      for (const part of [...parts, "heartbeat"] as const)
        source.addEventListener(part, ({ data }: MessageEvent<string>) => onMessage({ part, data }));
      source.onopen = () => onMessage({ part: "connected", data: "" });
      source.onerror = () => {
        onMessage({ part: "disconnected", data: "" });
        // The browser reopens a lost connection, but not after a response that is no stream.
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
