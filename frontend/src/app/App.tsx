// The session and the first screen: the panel for a user who was signed in before, otherwise the sign-in screen, which needs
// neither router nor component library. Once opened, the panel stays; its router has the same screen at /login.
import "./base.css";
import { Suspense, useEffect, useLayoutEffect, useState } from "react";
import { SessionProvider, useSession } from "../access/session";
import { hasStoredUser } from "../access/storedUser";
import { SignInScreen } from "../features/sign-in/SignInScreen";
import { PageSpinner } from "../loading/PageSpinner";
import { homePath, signInPath } from "../routing/signInPath";
import { loadAfterSignIn, loadingAhead, Panel } from "./loadAhead";

export function App() {
  return (
    <SessionProvider>
      <Entrance />
    </SessionProvider>
  );
}

function Entrance() {
  const { state } = useSession();
  const [isOpen, setOpen] = useState(hasStoredUser);
  const isLoaded = useLoadedAhead();
  if (isOpen) return <Suspense fallback={<PageSpinner />}>{isLoaded ? <Panel /> : <PageSpinner />}</Suspense>;
  return state.status === "in" ? <LeaveSignIn onDone={() => setOpen(true)} /> : <BeforeSignIn />;
}

/** React shows what a fallback stood in for 300 ms after the fallback at the earliest: this spinner is none. */
function useLoadedAhead(): boolean {
  const [isLoaded, setLoaded] = useState(!loadingAhead);
  useEffect(() => void loadingAhead?.then(() => setLoaded(true)), []);
  return isLoaded;
}

/** Restores the address that the user came from, before the router reads it. */
function LeaveSignIn({ onDone }: { onDone: () => void }) {
  useLayoutEffect(() => {
    if (location.pathname === signInPath) replaceAddress(history.state?.usr?.from ?? homePath, null);
    onDone();
  }, [onDone]);
  return <PageSpinner />;
}

function BeforeSignIn() {
  const { state } = useSession();
  const isAtSignIn = useSignInAddress(state.status === "out" ? state.ending : undefined);
  if (state.status !== "out" && !isAtSignIn) return <PageSpinner />;
  return (
    <SignInScreen
      prefetch={loadAfterSignIn}
      hasExpired={state.status === "out" && state.ending === "expired"}
    />
  );
}

/** Redirects every address to the sign-in after the end of the session; the sign-in returns to it. */
function useSignInAddress(ending: string | undefined): boolean {
  const [pathname, setPathname] = useState(initialPathname);
  useEffect(() => {
    const follow = () => setPathname(location.pathname);
    window.addEventListener("popstate", follow);
    return () => window.removeEventListener("popstate", follow);
  }, []);
  useLayoutEffect(() => {
    if (!ending || pathname === signInPath) return;
    // After signing out, the next user starts at the home page.
    const from = ending === "signedOut" ? undefined : pathname + location.search + location.hash;
    replaceAddress(signInPath, { from });
    setPathname(signInPath);
  }, [ending, pathname]);
  return pathname === signInPath;
}

/** The build, which has no address, renders the sign-in (firstScreenMarkup.tsx). */
function initialPathname(): string {
  return typeof location === "undefined" ? signInPath : location.pathname;
}

/** Writes the history state in the format of the router, so that each can read that of the other. */
function replaceAddress(address: string, usr: object | null): void {
  history.replaceState({ ...history.state, usr }, "", address);
}
