// The router and the pages behind it. A download of its own: who is not signed in sees the sign-in screen before it.
import { useState } from "react";
import { RouterProvider } from "react-router";
import { type Router, RouterContext } from "../routing/routerContext";
import { createPanelRouter } from "./router";

export default function Panel({ router: injected }: { router?: Router }) {
  const [router] = useState(() => injected ?? createPanelRouter());
  return (
    <RouterContext value={router}>
      <RouterProvider router={router} />
    </RouterContext>
  );
}
