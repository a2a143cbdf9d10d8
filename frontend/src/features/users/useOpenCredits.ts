// Whose credit dialog is open: in the address, so that it can be linked to, and closed by going back.
import { useLocation, useNavigate, useSearchParams } from "react-router";

const key = "openCredits";

export function useOpenCredits() {
  const [address, setAddress] = useSearchParams();
  const { state } = useLocation();
  const navigate = useNavigate();

  const open = (username: string) =>
    setAddress(
      (before) => {
        before.set(key, username);
        return before;
      },
      { state: { isOpenedHere: true }, preventScrollReset: true },
    );

  const close = () => {
    // What was opened from the list goes back to it; what was opened by its address has nothing behind it.
    if ((state as { isOpenedHere?: boolean } | null)?.isOpenedHere) return void navigate(-1);
    setAddress(
      (before) => {
        before.delete(key);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  };
  return { username: address.get(key) || undefined, open, close };
}
