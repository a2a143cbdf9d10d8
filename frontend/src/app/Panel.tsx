// The router and its pages, in a chunk of their own: the sign-in screen does not wait for it.
import { Suspense, useState } from "react";
import { RouterProvider } from "react-router";
import { useSession } from "../access/session";
import { lazyPart } from "../loading/lazyPart";
import { type Router, RouterContext } from "../routing/routerContext";
import { createPanelRouter } from "./router";

export { loadPage } from "./router";

const SignInDialog = lazyPart(() => import("../features/sign-in/SignInDialog"), { isDialog: true });

export default function Panel({ router: injected }: { router?: Router }) {
  const [router] = useState(() => injected ?? createPanelRouter());
  return (
    <RouterContext value={router}>
      <RouterProvider router={router} />
      <ExpiredSession />
    </RouterContext>
  );
}

function ExpiredSession() {
  const { state } = useSession();
  return state.status === "in" && state.isExpired ? (
    <Suspense fallback={null}>
      <SignInDialog username={state.user.username} />
    </Suspense>
  ) : null;
}
