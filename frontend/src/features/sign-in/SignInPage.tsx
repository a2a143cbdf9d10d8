// The sign-in at its address in the panel, for a session that ends while the panel is open.
import { Navigate, useLocation } from "react-router";
import { useSession } from "../../access/session";
import { hasStoredUser } from "../../access/storedUser";
import { PageSpinner } from "../../loading/PageSpinner";
import { paths } from "../../routing/paths";
import { SignInScreen } from "./SignInScreen";

interface SignInPageProps {
  /** Prefetches the code of the panel. */
  prefetch: () => Promise<unknown>;
}

export function SignInPage({ prefetch }: SignInPageProps) {
  const { state } = useSession();
  const location = useLocation();
  const from = (location.state as { from?: string } | null)?.from;
  if (state.status === "in") return <Navigate to={from ?? paths.home} replace />;
  // A user who was signed in here before probably still is; others see the form at once.
  if (state.status === "loading" && hasStoredUser()) return <PageSpinner />;
  return (
    <SignInScreen prefetch={prefetch} hasExpired={state.status === "out" && state.ending === "expired"} />
  );
}
