// The session of the user: start, sign-in, refresh, expiry and sign-out. Independent of screens; modules with data of the
// user register a listener for its end.
import {
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { sessionEventKey } from "../api/ahead";
import { call, onUnauthorized } from "../api/client";
import { Problem } from "../api/problem";
import { setServiceZone } from "../i18n/serviceZone";
import { local } from "../storage";
import type { Bearer, Permission } from "./permissions";
import { holds } from "./permissions";
import { clearPrivate } from "./privateStorage";
import { hasStoredUser, storedUserKey } from "./storedUser";

export interface CurrentUser extends Bearer {
  fullName?: string;
  /** The time zone of the service. */
  timeZone?: string;
}

/** Why no user is signed in: decides the notice of the sign-in screen and whether it keeps the return path. */
type Ending = "never" | "signedOut" | "expired";

type State =
  | { status: "loading" }
  /** Expired: the server has ended the session; the page stays while the user signs in again in a dialog. */
  | { status: "in"; user: CurrentUser; isExpired: boolean }
  | { status: "out"; ending: Ending };

interface Session {
  state: State;
  signIn(username: string, password: string): Promise<void>;
  signOut(): Promise<void>;
  /** Leaves an expired session for the sign-in screen. */
  cancelSignIn(): void;
}

const refreshInterval = 82_800_000;
/** How often to check whether a refresh is due: after a failure or a suspended machine it must not wait a day. */
const lookInterval = 60_000;

interface SessionEvent {
  /** Missing after a sign-out. */
  username?: string;
  time: number;
}

const listeners = new Set<(ending: Ending) => void>();

/** Calls the listener whenever a session ends. Returns a function that removes it. */
export function onSessionEnd(listener: (ending: Ending) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function store({ username, roleCode, roleName, permissions }: CurrentUser): void {
  local.write(storedUserKey, { username, roleCode, roleName, permissions });
}

const SessionContext = createContext<Session | null>(null);

function notifyOtherTabs(username?: string): void {
  local.write(sessionEventKey, { username, time: Date.now() } satisfies SessionEvent);
}

/** State for requests in flight. It is not rendered. */
interface Known {
  /** A response to an older request (a refresh answered after a sign-in) is ignored. */
  latestRequest: number;
  user: CurrentUser | undefined;
  isExpired: boolean;
  enteredAt: number;
  /** Time of the last sign-in as another user. */
  replacedAt: number;
  refreshedAt: number;
  /** Whether another tab signed in another user, while this tab still shows the first. */
  isOfAnother: boolean;
  /** The refresh that all calls answered 401 wait for. */
  check: Promise<void> | undefined;
  /** Calls that were answered 401 and wait for the same user. */
  waiting: ((isSameUser: boolean) => void)[];
}

const nothingKnown = (): Known => ({
  latestRequest: 0,
  user: undefined,
  isExpired: false,
  enteredAt: 0,
  replacedAt: 0,
  refreshedAt: 0,
  isOfAnother: false,
  check: undefined,
  waiting: [],
});

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>({ status: "loading" });
  const [known] = useState(nothingKnown);
  const changes = useChanges(known, setState);
  const { enter, leave, expire } = changes;
  const refresh = useRefresh(known, changes);

  useEffect(() => {
    onUnauthorized(async (sentAt, isRepeated) => {
      // A change of the password gives the session another id: 401 for a call with the former id does not end the session.
      if (sentAt >= known.enteredAt && known.user && !known.isExpired && !isRepeated) {
        known.check ??= refresh(false).finally(() => {
          known.check = undefined;
        });
        await known.check;
      }
      // The call was sent before a sign-in or refresh that has succeeded: it is repeated, but never as another user.
      if (sentAt < known.enteredAt) return sentAt >= known.replacedAt;
      if (!known.isExpired) expire();
      return known.isExpired && new Promise((resolve) => known.waiting.push(resolve));
    });
    void refresh(true);
  }, [known, refresh, expire]);
  useOtherTabs(known, leave, refresh);
  useKeepAlive(known, state.status === "in", refresh);

  const session = useMemo<Session>(
    () => ({
      state,
      async signIn(username, password) {
        const answer = await call("post", "/auth/login", { body: { username, password } });
        if (!answer.success || !answer.user) throw new Problem(401, answer as object);
        known.latestRequest += 1;
        enter(answer.user);
        notifyOtherTabs(answer.user.username);
      },
      async signOut() {
        try {
          await call("post", "/auth/logout");
        } catch (failure) {
          // The panel signs out even where the server could not.
          console.error("sign-out failed", failure);
        }
        notifyOtherTabs();
        leave("signedOut");
      },
      cancelSignIn: () => leave("expired"),
    }),
    [known, state, enter, leave],
  );

  return <SessionContext value={session}>{children}</SessionContext>;
}

/** How a session begins, ends and expires. */
function useChanges(known: Known, setState: Dispatch<SetStateAction<State>>) {
  return useMemo(() => {
    const goOn = (isSameUser: boolean) => {
      known.isExpired = false;
      known.isOfAnother = false;
      for (const resolve of known.waiting.splice(0)) resolve(isSameUser);
    };
    const enter = (user: CurrentUser) => {
      const isSameUser = known.user?.username === user.username;
      // For another user, data of the first one is neither shown nor sent, and their drafts stay stored.
      known.enteredAt = performance.now();
      if (known.user && !isSameUser) {
        known.replacedAt = known.enteredAt;
        for (const listener of listeners) listener("expired");
      }
      known.user = user;
      known.refreshedAt = Date.now();
      store(user);
      setServiceZone(user.timeZone);
      setState({ status: "in", user, isExpired: false });
      goOn(isSameUser);
    };
    const leave = (ending: Ending) => {
      known.latestRequest += 1;
      local.remove(storedUserKey);
      setState((before) => (before.status === "out" ? before : { status: "out", ending }));
      for (const listener of listeners) listener(ending);
      if (ending === "signedOut" && known.user) clearPrivate(known.user.username);
      known.user = undefined;
      goOn(false);
    };
    /** Keeps the page of a signed-in user; otherwise shows the sign-in screen. */
    const expire = () => {
      const { user } = known;
      if (!user) return leave("expired");
      known.isExpired = true;
      setState({ status: "in", user, isExpired: true });
    };
    return { enter, leave, expire };
  }, [known, setState]);
}

type Refresh = (isStart: boolean) => Promise<void>;

function useRefresh(known: Known, { enter, leave, expire }: ReturnType<typeof useChanges>): Refresh {
  return useCallback(
    async (isStart) => {
      const mine = ++known.latestRequest;
      const wasIn = hasStoredUser();
      try {
        const answer = await call("post", "/auth/refresh");
        if (known.latestRequest !== mine) return;
        if (!answer?.user) throw new Problem(401);
        enter(answer.user);
      } catch (failure) {
        if (known.latestRequest !== mine) return;
        const refused = failure instanceof Problem && failure.status === 401;
        if (isStart) leave(wasIn && refused ? "expired" : "never");
        // Later, an unreachable server does not end the session. A cookie of another user does: what the user saves
        // would be saved as that other user.
        else if (refused || known.isOfAnother) expire();
      }
    },
    [known, enter, leave, expire],
  );
}

/** Follows sign-ins and sign-outs of other tabs: all tabs share one cookie. */
function useOtherTabs(known: Known, leave: (ending: Ending) => void, refresh: Refresh): void {
  useEffect(() => {
    const follow = ({ key, newValue }: StorageEvent) => {
      if (key !== sessionEventKey || !newValue) return;
      const { username } = JSON.parse(newValue) as SessionEvent;
      if (!username) leave("signedOut");
      else if (known.user && (known.isExpired || known.user.username !== username)) {
        known.isOfAnother = known.user.username !== username;
        void refresh(false);
      }
    };
    window.addEventListener("storage", follow);
    return () => window.removeEventListener("storage", follow);
  }, [known, leave, refresh]);
}

/** Refreshes a session before it expires, and tries again where another user signed in and the refresh failed. */
function useKeepAlive(known: Known, isIn: boolean, refresh: Refresh): void {
  useEffect(() => {
    if (!isIn) return;
    const timer = setInterval(() => {
      const isDue = known.isExpired
        ? known.isOfAnother
        : // The absolute difference: a clock that was set back does not delay the refresh.
          Math.abs(Date.now() - known.refreshedAt) >= refreshInterval;
      if (isDue) void refresh(false);
    }, lookInterval);
    return () => clearInterval(timer);
  }, [known, isIn, refresh]);
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession needs a SessionProvider");
  return session;
}

/** The signed-in user; only for what is shown inside the guarded area. */
export function useUser(): CurrentUser {
  const { state } = useSession();
  if (state.status !== "in") throw new Error("useUser needs a signed-in user");
  return state.user;
}

export function useMay(): (permission: Permission) => boolean {
  const { state } = useSession();
  return (permission) => state.status === "in" && holds(state.user, permission);
}
