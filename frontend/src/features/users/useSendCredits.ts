// Sends an operation with credits once, however often it is submitted; after a failure it can be sent again.
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Problem } from "../../api/problem";
import type { useIdempotencyKey } from "../../api/useIdempotencyKey";
import type { Draft } from "../../forms/draft";
import { type CreditDraft, useMoveCredits } from "./credits";

export function useSendCredits(draft: Draft<CreditDraft>, once: ReturnType<typeof useIdempotencyKey>) {
  const { t } = useTranslation();
  const move = useMoveCredits();
  const isSent = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  /** What was sent, once the server has confirmed it; undefined after a failure. */
  const send = async (): Promise<CreditDraft | undefined> => {
    isSent.current = true;
    setBusy(true);
    const body = draft.toPayload();
    try {
      await move.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    } catch (error) {
      if (error instanceof Problem) draft.setErrors(error.violations);
      setFailure(error instanceof Problem ? error.message : t("credits.failed"));
      isSent.current = false;
      setBusy(false);
      return undefined;
    }
    // It stays sent while the dialog closes: one more Enter must not send it again.
    once.forget();
    return body;
  };

  return { isBusy, failure, clearFailure: () => setFailure(undefined), isSent: () => isSent.current, send };
}
