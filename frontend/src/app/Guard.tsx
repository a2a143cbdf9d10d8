// Renders a route for users who meet its requirement; redirects all others (docs/spec/access.md#guard-of-a-route).
import { Fragment, type ReactNode } from "react";
import { Navigate, useLocation } from "react-router";
import { meets, type Requirement } from "../access/permissions";
import { useSession } from "../access/session";
import { PageSpinner } from "../loading/PageSpinner";
import { paths } from "../routing/paths";

interface GuardProps extends Requirement {
  /** Shown instead of the redirect, for signed-in users without the permission. */
  fallback?: ReactNode;
  children: ReactNode;
}

/** One permission, any, all, one role, any of roles, or admins only. */
export function Guard({ fallback, children, ...need }: GuardProps) {
  const { state } = useSession();
  if (state.status !== "in") return <SignedIn>{null}</SignedIn>;
  if (meets(state.user, need)) return children;
  return fallback ?? <Navigate to={paths.home} replace />;
}

/** Redirects to the sign-in without a session; the sign-in returns to the address. */
export function SignedIn({ children }: { children: ReactNode }) {
  const { state } = useSession();
  const { pathname, search, hash } = useLocation();
  if (state.status === "loading") return <PageSpinner />;
  // Another user starts anew.
  if (state.status === "in") return <Fragment key={state.user.username}>{children}</Fragment>;
  // After signing out, the next user starts at the home page.
  const from = state.ending === "signedOut" ? undefined : pathname + search + hash;
  return <Navigate to={paths.signIn} replace state={{ from }} />;
}
