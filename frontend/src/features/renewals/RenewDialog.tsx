// Renews several customers: one quote for all of them, one confirmation, and then one sale after the other.
import { Skeleton } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { newId } from "../../api/newId";
import { type Sale, unansweredSale } from "../../api/openSales";
import { messageOf } from "../../api/problem";
import { Draft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useIsChanged } from "../../forms/useDraftForm";
import { formatNumber } from "../../i18n/formats";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { useIsMounted } from "../../ui/useIsMounted";
import { checkedBatch, keepChecked } from "./batch";
import {
  type Confirmed,
  oneMonth,
  QuoteForm,
  type QuoteFormHandle,
  type Terms,
  termsRule,
} from "./QuoteForm";
import type { Renewed } from "./queries";
import { Selling } from "./Selling";
import { useSelling } from "./useSelling";

interface RenewDialogProps {
  customers: readonly Renewed[];
  /** Shown instead of them while they are being found, of whom there are `count`. */
  finding?: { count: number; shown: ReactNode } | undefined;
  /** Why nothing of what was confirmed may be sold any more; undefined where it is as it was. */
  changedSince?: () => Promise<string | undefined>;
  /** `hasSold`: whether selling began. */
  onClose: (hasSold: boolean) => void;
}

export default function RenewDialog({ customers, finding, changedSince, onClose }: RenewDialogProps) {
  const { t } = useTranslation();
  // A key for each customer, for as long as the dialog is open: whatever is sent again, is sold once.
  const keys = useRef(new Map<string, string>());
  const keyOf = (username: string) => {
    const key = keys.current.get(username) ?? newId();
    keys.current.set(username, key);
    return key;
  };
  const [draft] = useState(() => new Draft<Terms>(oneMonth, termsRule));
  /** Months were typed, or customers removed. */
  const isChanged = useIsChanged(draft);
  const form = useRef<QuoteFormHandle>(null);
  const abandon = () => form.current?.abandon();
  const selling = useSelling();
  const { sales } = selling;
  const sentBefore = useSentBefore(changedSince);
  const begin = async (confirmed: readonly Confirmed[]) => {
    const batch = confirmed.map(
      ({ username, months, expectedEnd }): Sale => ({
        username,
        fullName: customers.find((one) => one.username === username)?.fullName ?? username,
        months,
        expectedEnd,
        key: keyOf(username),
        state: "waiting",
      }),
    );
    const checked = await sentBefore.check(batch);
    if (!checked) return;
    abandon();
    selling.run(checked);
  };
  const close = () => {
    if (selling.isRunning) return;
    // What has no answer is kept, to be looked up in the ledger.
    if (sales && !sales.some(({ state }) => state === "unknown")) selling.forget();
    void askAndClose(isChanged && !sales, () => {
      abandon();
      onClose(sales !== undefined);
    });
  };
  const count = sales?.length ?? finding?.count ?? customers.length;
  return (
    <Dialog
      title={t("renewals.title", { count, number: formatNumber(count) })}
      onClose={close}
      size="xl"
      isForm
    >
      {sales ? (
        <Selling of={selling} sales={sales} onClose={close} />
      ) : finding ? (
        finding.shown
      ) : (
        <>
          {isChanged && <LeaveGuard onLeave={abandon} isKept />}
          {sentBefore.isChecking && <Skeleton h={200} role="status" aria-label={t("renewals.checking")} />}
          <div hidden={sentBefore.isChecking}>
            <FailureAlert title={sentBefore.failure?.title} mb="md">
              {sentBefore.failure?.message}
            </FailureAlert>
            <QuoteForm
              ref={form}
              customers={customers}
              draft={draft}
              onConfirm={(confirmed) => void begin(confirmed)}
              onCancel={close}
            />
          </div>
        </>
      )}
    </Dialog>
  );
}

/**
 * Before anything is sold: whether those whom a filter lists are as they were confirmed, and what the credit dialog sent to
 * these customers and has no answer to.
 */
function useSentBefore(changedSince: RenewDialogProps["changedSince"]) {
  const { t } = useTranslation();
  const caller = useUser().username;
  const [isChecking, setChecking] = useState(false);
  const [failure, setFailure] = useState<{ title: string; message: string }>();
  const isBusy = useRef(false);
  const isThere = useIsMounted();

  /** The batch with its earlier sales; undefined where they could not be read or the dialog was closed. */
  const check = async (batch: readonly Sale[]): Promise<Sale[] | undefined> => {
    if (isBusy.current) return undefined;
    const hasSent = batch.some(({ username }) => unansweredSale(caller, username));
    if (!hasSent && !changedSince) return [...batch];
    isBusy.current = true;
    setChecking(true);
    setFailure(undefined);
    let title = t("renewals.matchFailed");
    try {
      const change = await changedSince?.();
      if (!isThere.current) return undefined;
      if (change !== undefined) {
        setFailure({ title: t("renewals.matchChanged"), message: change });
        return undefined;
      }
      if (!hasSent) return [...batch];
      title = t("renewals.checkFailed");
      const checked = await checkedBatch(caller, batch);
      if (!isThere.current) return undefined;
      keepChecked(caller, checked);
      return checked;
    } catch (error) {
      setFailure({ title, message: messageOf(error) });
      return undefined;
    } finally {
      isBusy.current = false;
      setChecking(false);
    }
  };
  return { isChecking, failure, check };
}
