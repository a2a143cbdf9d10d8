// Sends an operation with credits once, however often it is submitted; after a failure it can be sent again.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { forgetUnanswered, isSameBody, keepUnanswered, openSales, settleSale } from "../../api/openSales";
import { Problem } from "../../api/problem";
import { findSales } from "../../api/sales";
import { isUnknown } from "../../api/unknownOutcome";
import type { useIdempotencyKey } from "../../api/useIdempotencyKey";
import type { Draft } from "../../forms/draft";
import { type CreditDraft, type Quote, quoteQuery, useMoveCredits } from "./credits";
import type { QuoteState } from "./useQuote";

const endOf = (quote: Quote) => quote.expirationBefore ?? null;
const isAboutTheEnd = (error: unknown) => error instanceof Problem && error.code === "EXPIRATION_CHANGED";

export function useSendCredits(
  draft: Draft<CreditDraft>,
  once: ReturnType<typeof useIdempotencyKey>,
  { isCurrent, answer: quote }: QuoteState,
) {
  const { t } = useTranslation();
  const caller = useUser().username;
  const client = useQueryClient();
  const move = useMoveCredits();
  // The end of the subscription by which the user decides: that of the first preview, then the one that was pointed out.
  const seen = useRef<{ end: string | null }>(undefined);
  useEffect(() => {
    if (isCurrent && quote) seen.current ??= { end: endOf(quote) };
  }, [isCurrent, quote]);
  const [hasEndChanged, setEndChanged] = useState(false);
  const isSent = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [doneBefore, setDoneBefore] = useState<CreditDraft>();

  const stop = () => {
    isSent.current = false;
    setBusy(false);
    return undefined;
  };

  /** The end of the subscription as it is now. */
  const readEnd = async ({ operationType, amount, targetUsername }: CreditDraft) =>
    endOf(await client.fetchQuery(quoteQuery({ operationType, amount, targetUsername })));

  const fail = (error: unknown) => {
    setFailure(error instanceof Problem ? error.message : t("credits.failed"));
    return stop();
  };

  /** What was sent, once the server has confirmed it; undefined after a failure. */
  const send = async (): Promise<CreditDraft | undefined> => {
    isSent.current = true;
    setBusy(true);
    const body = draft.toPayload();
    const text = JSON.stringify(body);
    const user = body.targetUsername;
    // A reload by the panel gives back the key with what was typed, also where the browser stores nothing else.
    const own = once.sent();
    const open = openSales(caller, user);
    const before = own && !open.some(({ key }) => key === own.key) ? [...open, own] : open;
    // The same again goes under the same key, wherever it was sent from: the server does it once.
    const same = before.find((one) => isSameBody(one.body, text));
    if (same) once.restore({ body: text, key: same.key });
    // What was sent from elsewhere may have been seen to be done meanwhile: the same again would be one more.
    if (before.some((one) => one.key !== same?.key || one.key !== own?.key)) {
      try {
        const found = await findSales(before.map((one) => one.key));
        forgetUnanswered(caller, user);
        const done = before.find((one) => found.some((sale) => sale.key === one.key));
        if (done) {
          const movement = found.find((sale) => sale.key === done.key)?.movement;
          settleSale(caller, user, done.key, movement?.expirationAfter);
          once.forget();
          seen.current = undefined;
          setDoneBefore(JSON.parse(done.body) as CreditDraft);
          return stop();
        }
      } catch (error) {
        // Whether it was done is still open: nothing else is sent, also after a reload.
        once.restore(own ?? before[0]);
        return fail(error);
      }
    }
    // A repeated request is executed once, regardless of later movements.
    if (!same) {
      try {
        const end = await readEnd(body);
        const decided = seen.current;
        seen.current = { end };
        if (decided && decided.end !== end) {
          setEndChanged(true);
          return stop();
        }
      } catch (error) {
        return fail(error);
      }
    }
    const key = once.keyFor(body);
    try {
      const movement = await move.mutateAsync({
        draft: body,
        expectedEnd: seen.current?.end,
        idempotencyKey: key,
      });
      // It stays sent while the dialog closes: one more Enter must not send it again.
      settleSale(caller, user, key, movement.expirationAfter);
    } catch (error) {
      if (isUnknown(error)) keepUnanswered(caller, user, { body: text, key });
      else {
        forgetUnanswered(caller, user);
        once.forget();
      }
      if (error instanceof Problem) draft.setErrors(error.violations);
      if (isAboutTheEnd(error)) {
        // Another tab or seller changed the expiration first: the new preview needs another confirmation.
        try {
          seen.current = { end: await readEnd(body) };
        } catch (unread) {
          return fail(unread);
        }
        setEndChanged(true);
        return stop();
      }
      return fail(error);
    }
    once.forget();
    return body;
  };

  const clearFailure = () => {
    setFailure(undefined);
    setDoneBefore(undefined);
    setEndChanged(false);
  };

  return { isBusy, failure, doneBefore, hasEndChanged, clearFailure, isSent: () => isSent.current, send };
}
