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
import type { Bearer, Permission } from "./permissions";
import { holds } from "./permissions";

export interface User extends Bearer {
  fullName?: string;
}

/** Why nobody is signed in: it decides what the sign-in screen says and whether it remembers the way back. */
export type Ending = "never" | "signedOut" | "expired";

type State = { status: "loading" } | { status: "in"; user: User } | { status: "out"; ending: Ending };

export interface Session {
  state: State;
  signIn(username: string, password: string): Promise<void>;
  signOut(): Promise<void>;
}

export const refreshInterval = 82_800_000;
export const storedUserKey = "cartelera.user";

const listeners = new Set<(ending: Ending) => void>();

/** Runs when a session ends, however it ends. Answers how to stop listening. */
export function onSessionEnd(listener: (ending: Ending) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function hasStoredUser(): boolean {
  return localStorage.getItem(storedUserKey) !== null;
}

function store({ username, roleCode, roleName, permissions }: User): void {
  localStorage.setItem(storedUserKey, JSON.stringify({ username, roleCode, roleName, permissions }));
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>({ status: "loading" });
  // An answer to an older question (a refresh that comes back after somebody signed in) must not speak.
  const turn = useRef(0);

  const enter = useCallback((user: User) => {
    store(user);
    setState({ status: "in", user });
  }, []);

  const leave = useCallback((ending: Ending) => {
    turn.current += 1;
    localStorage.removeItem(storedUserKey);
    setState((before) => (before.status === "out" ? before : { status: "out", ending }));
    for (const listener of listeners) listener(ending);
  }, []);

  const refresh = useCallback(
    async (isStart: boolean) => {
      const mine = ++turn.current;
      const known = hasStoredUser();
      try {
        const answer = await call("post", "/auth/refresh");
        if (turn.current !== mine) return;
        if (!answer?.user) throw new Problem(401);
        enter(answer.user);
      } catch (failure) {
        if (turn.current !== mine) return;
        // Later on, a server that is away for a moment is no reason to throw somebody out.
        const refused = failure instanceof Problem && failure.status === 401;
        if (isStart || refused) leave(known && refused ? "expired" : "never");
      }
    },
    [enter, leave],
  );

  useEffect(() => {
    onUnauthorized(() => leave("expired"));
    void refresh(true);
  }, [leave, refresh]);

  const isIn = state.status === "in";
  useEffect(() => {
    if (!isIn) return;
    const timer = setInterval(() => void refresh(false), refreshInterval);
    return () => clearInterval(timer);
  }, [isIn, refresh]);

  // Signing out in one tab signs out in all of them.
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      if (event.key === storedUserKey && event.newValue === null) leave("signedOut");
    };
    window.addEventListener("storage", follow);
    return () => window.removeEventListener("storage", follow);
  }, [leave]);

  const session = useMemo<Session>(
    () => ({
      state,
      async signIn(username, password) {
        const answer = await call("post", "/auth/login", { body: { username, password } });
        if (!answer.success || !answer.user) throw new Problem(401, answer as object);
        turn.current += 1;
        enter(answer.user);
      },
      async signOut() {
        try {
          await call("post", "/auth/logout");
        } catch (failure) {
          // The person is leaving: here they are gone, whatever the server managed to do.
          console.error("sign-out failed", failure);
        }
        leave("signedOut");
      },
    }),
    [state, enter, leave],
  );

  return <SessionContext value={session}>{children}</SessionContext>;
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
