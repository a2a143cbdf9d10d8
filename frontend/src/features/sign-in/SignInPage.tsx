// The sign-in at its address in the panel, for a session that ends while the panel is open.
import { Navigate, useLocation } from "react-router";
import { useSession } from "../../access/session";
import { hasStoredUser } from "../../access/storedUser";
import { PageSpinner } from "../../loading/PageSpinner";
import { paths } from "../../routing/paths";
import { SignInScreen } from "./SignInScreen";

interface SignInPageProps {
  /** Downloads what comes after the sign-in. */
  prefetch: () => Promise<unknown>;
}

export function SignInPage({ prefetch }: SignInPageProps) {
  const { state } = useSession();
  const location = useLocation();
  const from = (location.state as { from?: string } | null)?.from;
  if (state.status === "in") return <Navigate to={from ?? paths.home} replace />;
  // Who was here before is probably still signed in; who was not sees the form at once.
  if (state.status === "loading" && hasStoredUser()) return <PageSpinner />;
  return (
    <SignInScreen prefetch={prefetch} hasExpired={state.status === "out" && state.ending === "expired"} />
  );
}
