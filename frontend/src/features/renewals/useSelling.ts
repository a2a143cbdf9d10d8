// Sells the customers of a batch, and keeps what has happened until all of it is known.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useUser } from "../../access/session";
import { forgetBatch, keepBatch, type Sale } from "../../api/openSales";
import { useAskBeforeUnload } from "../../forms/useKeptDraft";
import { sellAll } from "./batch";

export function useSelling() {
  const { username } = useUser();
  const client = useQueryClient();
  const [sales, setSales] = useState<readonly Sale[]>();
  const [isRunning, setRunning] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const isStopped = useRef(false);
  const isBusy = useRef(false);

  useAskBeforeUnload(isRunning, true);

  // After leaving the page, the stored rest can be resumed.
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );

  const run = async (batch: readonly Sale[]) => {
    if (isBusy.current) return;
    isBusy.current = true;
    isStopped.current = false;
    setStopping(false);
    setRunning(true);
    await sellAll(batch, {
      onChange: (changed) => {
        keepBatch(username, changed);
        setSales(changed);
      },
      isStopped: () => isStopped.current,
    });
    isBusy.current = false;
    setRunning(false);
    // Credits show in lists, histories and dashboards; the catalogue is what they never touch.
    void client.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] !== "contents" && queryKey[1] !== "quote",
    });
  };

  return {
    sales,
    isRunning,
    isStopping,
    run: (batch: readonly Sale[]) => void run(batch),
    stop: () => {
      isStopped.current = true;
      setStopping(true);
    },
    /** Nothing of it is to be sold any more. */
    forget: () => forgetBatch(username),
  };
}
