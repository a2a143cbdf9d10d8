// Opens the panel at an address, as a browser would, with everything real but the server.
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter } from "react-router";
import { SessionProvider } from "../access/session";
import Panel from "../app/Panel";
import { routes } from "../app/router";

type Entries = Parameters<typeof createMemoryRouter>[1];

export function renderPage(address: string, options: Entries = {}) {
  const router = createMemoryRouter(routes, { initialEntries: [address], ...options });
  render(
    <SessionProvider>
      <Panel router={router} />
    </SessionProvider>,
  );
  return {
    router,
    user: userEvent.setup(),
    /** Where the person is now. */
    address: () => router.state.location.pathname + router.state.location.search,
  };
}
