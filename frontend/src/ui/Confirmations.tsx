// Shows the questions that are asked, one at a time.
import { lazy, Suspense, useEffect, useState } from "react";
import { type Asked, onQuestion } from "./confirm";

const ConfirmDialog = lazy(() => import("./ConfirmDialog"));

export function Confirmations() {
  const [asked, setAsked] = useState<Asked>();
  useEffect(
    () =>
      onQuestion((next) =>
        setAsked((open) => {
          // A second question takes the place of the first, which is thereby answered.
          open?.answer(false);
          return next;
        }),
      ),
    [],
  );
  return asked ? (
    <Suspense fallback={null}>
      <ConfirmDialog asked={asked} onDone={() => setAsked(undefined)} />
    </Suspense>
  ) : null;
}
