// Who is signed in, from the first refresh to the last: start, sign in, keep alive, end.
// Knows no screens; what must happen when a session ends is registered by whoever owns the data.
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { call, onUnauthorized } from "../api/client";
import { Problem } from "../api/problem";
import { setServiceZone } from "../i18n/formats";
import { local } from "../storage";
import type { Bearer, Permission } from "./permissions";
import { holds } from "./permissions";
import { clearPrivate } from "./privateStorage";

export interface User extends Bearer {
  fullName?: string;
  /** The service's. */
  timeZone?: string;
}

/** Why nobody is signed in: it decides what the sign-in screen says and whether it remembers the way back. */
type Ending = "never" | "signedOut" | "expired";

type State =
  | { status: "loading" }
  /** Expired: the server no longer knows the session; the page stays while the user signs in again over it. */
  | { status: "in"; user: User; isExpired: boolean }
  | { status: "out"; ending: Ending };

interface Session {
  state: State;
  signIn(username: string, password: string): Promise<void>;
  signOut(): Promise<void>;
  /** Leaves an expired session for the sign-in screen. */
  giveUp(): void;
}

const refreshInterval = 82_800_000;
/** How often is looked whether a refresh is due: after a failure, or once a machine is awake, it is not a day late. */
const lookInterval = 60_000;
export const storedUserKey = "cartelera.user";
/** Who signed in or out last in this browser, and when: notifies the other tabs. */
export const sessionEventKey = "cartelera.session";

interface SessionEvent {
  /** Nobody: signed out. */
  username?: string;
  time: number;
}

const listeners = new Set<(ending: Ending) => void>();

/** Runs when a session ends, however it ends. Answers how to stop listening. */
export function onSessionEnd(listener: (ending: Ending) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function hasStoredUser(): boolean {
  return local.get(storedUserKey) !== null;
}

function store({ username, roleCode, roleName, permissions }: User): void {
  local.set(storedUserKey, JSON.stringify({ username, roleCode, roleName, permissions }));
}

const SessionContext = createContext<Session | null>(null);

function notifyOtherTabs(username?: string): void {
  local.set(sessionEventKey, JSON.stringify({ username, time: Date.now() } satisfies SessionEvent));
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>({ status: "loading" });
  // A response to an older request (a refresh that comes back after somebody signed in) is ignored.
  const latestRequest = useRef(0);
  const current = useRef<User>(undefined);
  const isExpired = useRef(false);
  const enteredAt = useRef(0);
  const refreshedAt = useRef(0);
  /** Whether the cookie is another user's by now, as another tab says, while this one still shows the first. */
  const isOfAnother = useRef(false);
  /** Calls that were answered 401 and wait for the same user. */
  const waiting = useRef<((isSameUser: boolean) => void)[]>([]);

  const settle = useCallback((isSameUser: boolean) => {
    isExpired.current = false;
    isOfAnother.current = false;
    for (const resolve of waiting.current.splice(0)) resolve(isSameUser);
  }, []);

  const enter = useCallback(
    (user: User) => {
      const isSameUser = current.current?.username === user.username;
      // Another user starts anew: nothing of the first one is shown, sent or lost.
      if (current.current && !isSameUser) for (const listener of listeners) listener("expired");
      current.current = user;
      enteredAt.current = performance.now();
      refreshedAt.current = Date.now();
      store(user);
      setServiceZone(user.timeZone);
      setState({ status: "in", user, isExpired: false });
      settle(isSameUser);
    },
    [settle],
  );

  const leave = useCallback(
    (ending: Ending) => {
      latestRequest.current += 1;
      local.remove(storedUserKey);
      setState((before) => (before.status === "out" ? before : { status: "out", ending }));
      for (const listener of listeners) listener(ending);
      if (ending === "signedOut" && current.current) clearPrivate(current.current.username);
      current.current = undefined;
      settle(false);
    },
    [settle],
  );

  /** The page stays; who is not in yet has none. */
  const expire = useCallback(() => {
    const user = current.current;
    if (!user) return leave("expired");
    isExpired.current = true;
    setState({ status: "in", user, isExpired: true });
  }, [leave]);

  const refresh = useCallback(
    async (isStart: boolean) => {
      const mine = ++latestRequest.current;
      const known = hasStoredUser();
      try {
        const answer = await call("post", "/auth/refresh");
        if (latestRequest.current !== mine) return;
        if (!answer?.user) throw new Problem(401);
        enter(answer.user);
      } catch (failure) {
        if (latestRequest.current !== mine) return;
        const refused = failure instanceof Problem && failure.status === 401;
        if (isStart) leave(known && refused ? "expired" : "never");
        // Later on, a server that is away for a moment is no reason to throw somebody out; but what they save while the
        // cookie is another user's would be saved as that user.
        else if (refused || isOfAnother.current) expire();
      }
    },
    [enter, leave, expire],
  );

  useEffect(() => {
    onUnauthorized(async (sentAt) => {
      // Sent before the sign-in that has succeeded meanwhile.
      if (sentAt < enteredAt.current) return true;
      if (!isExpired.current) expire();
      return isExpired.current && new Promise((resolve) => waiting.current.push(resolve));
    });
    void refresh(true);
  }, [refresh, expire]);

  // One cookie for all tabs: signing in or out in one of them concerns the others.
  useEffect(() => {
    const follow = ({ key, newValue }: StorageEvent) => {
      if (key !== sessionEventKey || !newValue) return;
      const { username } = JSON.parse(newValue) as SessionEvent;
      if (!username) leave("signedOut");
      else if (current.current && (isExpired.current || current.current.username !== username)) {
        isOfAnother.current = current.current.username !== username;
        void refresh(false);
      }
    };
    window.addEventListener("storage", follow);
    return () => window.removeEventListener("storage", follow);
  }, [leave, refresh]);

  const isRefreshDue = useCallback(
    () =>
      isExpired.current
        ? isOfAnother.current
        : // A clock that was set back is no reason to wait longer.
          Math.abs(Date.now() - refreshedAt.current) >= refreshInterval,
    [],
  );
  useKeepAlive(state.status === "in", isRefreshDue, refresh);

  const session = useMemo<Session>(
    () => ({
      state,
      async signIn(username, password) {
        const answer = await call("post", "/auth/login", { body: { username, password } });
        if (!answer.success || !answer.user) throw new Problem(401, answer as object);
        latestRequest.current += 1;
        enter(answer.user);
        notifyOtherTabs(answer.user.username);
      },
      async signOut() {
        try {
          await call("post", "/auth/logout");
        } catch (failure) {
          // The person is leaving: here they are gone, whatever the server managed to do.
          console.error("sign-out failed", failure);
        }
        notifyOtherTabs();
        leave("signedOut");
      },
      giveUp: () => leave("expired"),
    }),
    [state, enter, leave],
  );

  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Refreshes a session before it expires, and tries again where another user signed in and the refresh failed. */
function useKeepAlive(
  isIn: boolean,
  isDue: () => boolean,
  refresh: (isStart: boolean) => Promise<void>,
): void {
  useEffect(() => {
    if (!isIn) return;
    const timer = setInterval(() => {
      if (isDue()) void refresh(false);
    }, lookInterval);
    return () => clearInterval(timer);
  }, [isIn, isDue, refresh]);
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession needs a SessionProvider");
  return session;
}

/** The signed-in user; only for what is shown inside the guarded area. */
export function useUser(): User {
  const { state } = useSession();
  if (state.status !== "in") throw new Error("useUser needs a signed-in user");
  return state.user;
}

export function useMay(): (permission: Permission) => boolean {
  const { state } = useSession();
  return (permission) => state.status === "in" && holds(state.user, permission);
}
