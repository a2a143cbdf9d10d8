// Cancels previews that are no longer shown: later operations would wait for them.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../api/client";
import { useIsMounted } from "../ui/useIsMounted";
import { isUnfinished, type Operation, operationKeys } from "./queries";

/** Answers what to do with a preview that has begun, for its dialog may be closed by then. */
export function useDryRuns(preview: number | undefined): (begun: Operation) => void {
  const client = useQueryClient();
  const shown = useRef(preview);
  const isOpen = useIsMounted();

  useEffect(() => {
    shown.current = preview;
    return () => {
      shown.current = undefined;
      // In development effects run twice: the preview is shown again at once.
      setTimeout(() => {
        if (preview === undefined || shown.current === preview) return;
        const operation = client.getQueryData<Operation>(operationKeys.one(preview));
        if (operation && isUnfinished(operation)) cancel(preview);
      });
    };
  }, [client, preview]);

  return ({ id, dryRun }) => {
    if (dryRun && !isOpen.current) cancel(id);
  };
}

/** One that has ended meanwhile, or can't be stopped, is ignored. */
function cancel(id: number): void {
  call("post", `/operations/${id}/cancel`).catch(() => {});
}
