// Shows pending questions, one at a time. The dialog is fetched ahead of the first question, and comes with every
// form: what guards unsaved work must be there when the server is not.
import { Suspense, useEffect, useState } from "react";
import { afterFirstPage } from "../loading/firstPage";
import { lazyPart, retried } from "../loading/lazyPart";
import { onQuestion, type PendingQuestion } from "./confirm";

const load = () => import("./ConfirmDialog");
const ConfirmDialog = lazyPart(load, { isDialog: true });

export function Confirmations() {
  const [question, setQuestion] = useState<PendingQuestion>();
  useEffect(
    () =>
      onQuestion((next) =>
        setQuestion((open) => {
          // A second question takes the place of the first, which is thereby answered.
          open?.answer(false);
          return next;
        }),
      ),
    [],
  );
  useEffect(() => void retried(afterFirstPage(load)).catch(() => {}), []);
  return question ? (
    <Suspense fallback={null}>
      <ConfirmDialog question={question} onDone={() => setQuestion(undefined)} />
    </Suspense>
  ) : null;
}
