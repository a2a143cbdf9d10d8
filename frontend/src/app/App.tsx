// The providers that even the sign-in screen needs, and the router. Anything heavier belongs to the shell.
import { type ComponentProps, useState } from "react";
import { RouterProvider } from "react-router";
import { SessionProvider } from "../access/session";
import { createPanelRouter } from "./router";

type Router = ComponentProps<typeof RouterProvider>["router"];

export function App({ router: given }: { router?: Router }) {
  const [router] = useState(() => given ?? createPanelRouter());
  return (
    <SessionProvider>
      <RouterProvider router={router} />
    </SessionProvider>
  );
}
