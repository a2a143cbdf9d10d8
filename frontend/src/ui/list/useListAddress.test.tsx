// The address of a list changes by several hands, and is rendered later than it changes.
import { act, render } from "@testing-library/react";
import { Suspense, use, useEffect } from "react";
import { createMemoryRouter, useLocation } from "react-router";
import { expect, test } from "vitest";
import { SessionProvider } from "../../access/session";
import Panel from "../../app/Panel";
import { type ChangeList, useListAddress } from "./useListAddress";

const defaults = { name: "test", size: 10 };
const never = new Promise<never>(() => {});
let change: ChangeList;

/** A list whose next rendering never comes: what it needs is still on its way. */
function SlowList() {
  const { pathname, search } = useLocation();
  const address = useListAddress(defaults);
  // Of what is on the screen.
  useEffect(() => {
    change = address.change;
  }, [address.change]);
  if (pathname !== "/list" || search.includes("grouped")) use(never);
  return null;
}

function open() {
  const page = (
    <Suspense>
      <SlowList />
    </Suspense>
  );
  const router = createMemoryRouter(
    [
      { path: "/list", element: page },
      { path: "/other", element: page },
    ],
    { initialEntries: ["/list"] },
  );
  render(
    <SessionProvider>
      <Panel router={router} />
    </SessionProvider>,
  );
  return router;
}

test("a search keeps what the address got meanwhile, though it is not rendered yet", async () => {
  const router = open();
  await act(() => router.navigate("/list?grouped=1"));
  act(() => change({ search: "dune" }));
  expect(router.state.location.search).toBe("?grouped=1&search=dune");
});

test("a search that comes after another page was opened does not come back from it", async () => {
  const router = open();
  await act(() => router.navigate("/other"));
  act(() => change({ search: "dune" }));
  expect(router.state.location.pathname + router.state.location.search).toBe("/other");
});
