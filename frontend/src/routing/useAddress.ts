// The parameters of the address, which change by several hands, and are rendered later than they change.
import { use, useCallback, useEffect, useRef } from "react";
import { type NavigateOptions, useLocation, useSearchParams } from "react-router";
import { RouterContext } from "./routerContext";

export function useAddress() {
  const [address, setAddress] = useSearchParams();

  // The last request: a second change may come before the first is on the screen.
  const latest = useRef(address);
  useEffect(() => {
    latest.current = address;
  }, [address]);
  // The address changes by other hands too, and what it leads to may be on its way for long.
  const router = use(RouterContext);
  const { pathname } = useLocation();
  useEffect(
    () =>
      router?.subscribe(({ location }) => {
        latest.current = new URLSearchParams(location.search);
      }),
    [router],
  );

  const change = useCallback(
    (write: (before: URLSearchParams) => URLSearchParams, options?: NavigateOptions) => {
      // Another page was opened: a search that was typed before does not lead back.
      if (router && router.state.location.pathname !== pathname) return;
      latest.current = write(latest.current);
      setAddress(latest.current, options);
    },
    [setAddress, router, pathname],
  );
  return [address, change] as const;
}
