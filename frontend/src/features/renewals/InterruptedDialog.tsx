// A renewal that was cut off by a reload or by the end of a session: the sales in the ledger, and the rest.
import { Skeleton, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import type { Sale } from "../../api/openSales";
import { messageOf } from "../../api/problem";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { checkedBatch, keepChecked } from "./batch";
import { Selling } from "./Selling";
import { useSelling } from "./useSelling";

interface InterruptedDialogProps {
  sales: readonly Sale[];
  onClose: () => void;
}

export default function InterruptedDialog({ sales: kept, onClose }: InterruptedDialogProps) {
  const { t } = useTranslation();
  const { checked, failure, retry } = useChecked(kept);
  const selling = useSelling();
  const sales = selling.sales ?? checked;
  const close = () => {
    if (selling.isRunning) return;
    // What has no answer is looked up again; what is known not to be sold is left at that.
    if (sales && !sales.some(({ state }) => state === "unknown")) selling.forget();
    onClose();
  };
  return (
    <Dialog title={t("renewals.interrupted")} onClose={close} size="lg" isForm>
      {sales ? (
        <Stack gap="sm">
          {!selling.sales && <Text size="sm">{t("renewals.interruptedReason")}</Text>}
          <Selling of={selling} sales={sales} onClose={close} />
        </Stack>
      ) : failure ? (
        <ErrorView title={t("renewals.checkFailed")} message={messageOf(failure)} onRetry={retry} />
      ) : (
        <Skeleton h={200} role="status" aria-label={t("renewals.checking")} />
      )}
    </Dialog>
  );
}

/** The batch as the ledger has it. */
function useChecked(kept: readonly Sale[]) {
  const caller = useUser().username;
  const [checked, setChecked] = useState<Sale[]>();
  const [failure, setFailure] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more for each attempt
  useEffect(() => {
    let isCurrent = true;
    setFailure(undefined);
    checkedBatch(caller, kept).then(
      (found) => {
        if (!isCurrent) return;
        keepChecked(caller, found);
        setChecked(found);
      },
      (error) => isCurrent && setFailure(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [caller, kept, attempt]);
  return { checked, failure, retry: () => setAttempt(attempt + 1) };
}
