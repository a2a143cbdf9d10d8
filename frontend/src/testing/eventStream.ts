// The server's events without a server: mocks of what a browser has for them and jsdom does not.
import { vi } from "vitest";

/** A mock of `EventSource` with the members used here. */
export class FakeStream extends EventTarget {
  static readonly CLOSED = 2;
  static open: FakeStream[] = [];
  readyState = 1;
  onerror: (() => void) | null = null;
  onopen: (() => void) | null = null;
  constructor(readonly address: string) {
    super();
    FakeStream.open.push(this);
  }
  send(name: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
  close() {
    this.readyState = FakeStream.CLOSED;
  }
}

/** Call before a test that follows events; `removeStreams` after it. */
export function mockStreams(): void {
  FakeStream.open = [];
  vi.stubGlobal("EventSource", FakeStream);
}

export function removeStreams(): void {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, "locks");
}

/** Mocks `navigator.locks`, without which no stream is opened: one holder at a time, across all tabs. */
export function mockLocks(): void {
  let last: Promise<unknown> = Promise.resolve();
  const value = {
    request(_: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>) {
      const turn = last.then(() => (signal.aborted ? undefined : hold()));
      last = turn;
      return turn;
    },
  };
  Object.defineProperty(navigator, "locks", { value, configurable: true });
}
