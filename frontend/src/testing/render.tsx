// Opens the panel at an address, as a browser would, with everything real but the server.
import { QueryClient } from "@tanstack/react-query";
import { render, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter } from "react-router";
import { expect, vi } from "vitest";
import { SessionProvider } from "../access/session";
import Panel from "../app/Panel";
import { routes } from "../app/router";

type Entries = Parameters<typeof createMemoryRouter>[1];

export function renderPage(address: string, options: Entries = {}) {
  const mounted = vi.spyOn(QueryClient.prototype, "mount");
  const router = createMemoryRouter(routes, { initialEntries: [address], ...options });
  render(
    <SessionProvider>
      <Panel router={router} />
    </SessionProvider>,
  );
  return {
    router,
    user: userEvent.setup(),
    /** Waits until every request has its answer, and what shows it is rendered. */
    idle: () =>
      waitFor(() => {
        expect(mounted.mock.contexts).not.toEqual([]);
        for (const client of mounted.mock.contexts as QueryClient[]) {
          expect(client.isFetching()).toBe(0);
          expect(client.isMutating()).toBe(0);
        }
      }),
    /** Where the user is now. */
    address: () => router.state.location.pathname + router.state.location.search,
  };
}
