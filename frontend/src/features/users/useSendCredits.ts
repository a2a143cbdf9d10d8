// Sends an operation with credits once, however often it is submitted; after a failure it can be sent again.
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Problem } from "../../api/problem";
import { findSales } from "../../api/sales";
import type { SentBody, useIdempotencyKey } from "../../api/useIdempotencyKey";
import type { Draft } from "../../forms/draft";
import { type CreditDraft, useMoveCredits } from "./credits";

/**
 * What was sent for each user last and not answered: whether it was done is asked before anything else is sent, also after
 * the dialog was closed and opened again.
 */
const unanswered = new Map<string, SentBody>();

/** Whether the server may have done it all the same. */
const isUnknown = (error: unknown) =>
  !(error instanceof Problem) || error.status === 0 || error.status === 408 || error.status >= 500;

export function useSendCredits(draft: Draft<CreditDraft>, once: ReturnType<typeof useIdempotencyKey>) {
  const { t } = useTranslation();
  const move = useMoveCredits();
  const isSent = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [doneBefore, setDoneBefore] = useState<CreditDraft>();

  const stop = () => {
    isSent.current = false;
    setBusy(false);
    return undefined;
  };

  const fail = (error: unknown) => {
    setFailure(error instanceof Problem ? error.message : t("credits.failed"));
    return stop();
  };

  /** What was sent, once the server has confirmed it; undefined after a failure. */
  const send = async (): Promise<CreditDraft | undefined> => {
    isSent.current = true;
    setBusy(true);
    const body = draft.toPayload();
    const user = body.targetUsername;
    // A reload gives back the key, not the list of what is unanswered.
    const own = once.sent();
    const before = unanswered.get(user) ?? own;
    // The same again goes under the same key, also from another dialog: the server does it once.
    if (before?.body === JSON.stringify(body)) once.restore(before);
    const key = once.keyFor(body);
    // What another dialog sent may have been seen to be done meanwhile: the same again would be one more.
    if (before && (before.key !== key || before.key !== own?.key)) {
      unanswered.set(user, before);
      try {
        const [done] = await findSales([before.key]);
        unanswered.delete(user);
        if (done) {
          once.forget();
          setDoneBefore(JSON.parse(before.body) as CreditDraft);
          return stop();
        }
      } catch (error) {
        // Whether it was done is still open: nothing else is sent, also after a reload.
        once.restore(before);
        return fail(error);
      }
    }
    try {
      await move.mutateAsync({ draft: body, idempotencyKey: key });
    } catch (error) {
      if (isUnknown(error)) unanswered.set(user, { body: JSON.stringify(body), key });
      else {
        unanswered.delete(user);
        once.forget();
      }
      if (error instanceof Problem) draft.setErrors(error.violations);
      return fail(error);
    }
    // It stays sent while the dialog closes: one more Enter must not send it again.
    once.forget();
    unanswered.delete(user);
    return body;
  };

  const clearFailure = () => {
    setFailure(undefined);
    setDoneBefore(undefined);
  };

  return { isBusy, failure, doneBefore, clearFailure, isSent: () => isSent.current, send };
}
