// Shows the questions that are asked, one at a time. The dialog is fetched ahead of the first question, and comes with every
// form: what guards unsaved work must be there when the server is not.
import { Suspense, useEffect, useState } from "react";
import { lazyPart, retried } from "../loading/lazyPart";
import { type Asked, onQuestion } from "./confirm";

const load = () => import("./ConfirmDialog");
const ConfirmDialog = lazyPart(load, { isDialog: true });

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
  useEffect(() => void retried(load).catch(() => {}), []);
  return asked ? (
    <Suspense fallback={null}>
      <ConfirmDialog asked={asked} onDone={() => setAsked(undefined)} />
    </Suspense>
  ) : null;
}
