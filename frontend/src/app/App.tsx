// The session and the first screen: the panel for a user who was signed in before, otherwise the sign-in screen, which needs
// neither router nor component library. Once opened, the panel stays; its router has the same screen at /login.
import "./base.css";
import { Suspense, useEffect, useLayoutEffect, useState } from "react";
import { SessionProvider, useSession } from "../access/session";
import { hasStoredUser } from "../access/storedUser";
import { SignInScreen } from "../features/sign-in/SignInScreen";
import { lazyPart } from "../loading/lazyPart";
import { PageSpinner } from "../loading/PageSpinner";
import { paths } from "../routing/paths";
import { loadAfterSignIn, loadPanel } from "./loadAhead";

const Panel = lazyPart(loadPanel);

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
  if (isOpen)
    return (
      <Suspense fallback={<PageSpinner />}>
        <Panel />
      </Suspense>
    );
  return state.status === "in" ? <LeaveSignIn onDone={() => setOpen(true)} /> : <BeforeSignIn />;
}

/** Restores the address that the user came from, before the router reads it. */
function LeaveSignIn({ onDone }: { onDone: () => void }) {
  useLayoutEffect(() => {
    if (location.pathname === paths.signIn) replaceAddress(history.state?.usr?.from ?? paths.home, null);
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
    if (!ending || pathname === paths.signIn) return;
    // After signing out, the next user starts at the home page.
    const from = ending === "signedOut" ? undefined : pathname + location.search + location.hash;
    replaceAddress(paths.signIn, { from });
    setPathname(paths.signIn);
  }, [ending, pathname]);
  return pathname === paths.signIn;
}

/** The build, which has no address, renders the sign-in (firstScreenMarkup.tsx). */
function initialPathname(): string {
  return typeof location === "undefined" ? paths.signIn : location.pathname;
}

/** Writes the history state in the format of the router, so that each can read that of the other. */
function replaceAddress(address: string, usr: object | null): void {
  history.replaceState({ ...history.state, usr }, "", address);
}
