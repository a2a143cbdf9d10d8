// The providers that even the sign-in screen needs, and the router. Anything heavier belongs to the shell.
import { useState } from "react";
import { RouterProvider } from "react-router";
import { SessionProvider } from "../access/session";
import { type Router, RouterContext } from "../routing/routerContext";
import { createPanelRouter } from "./router";

export function App({ router: given }: { router?: Router }) {
  const [router] = useState(() => given ?? createPanelRouter());
  return (
    <SessionProvider>
      <RouterContext value={router}>
        <RouterProvider router={router} />
      </RouterContext>
    </SessionProvider>
  );
}
