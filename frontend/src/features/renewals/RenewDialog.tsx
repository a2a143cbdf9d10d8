// Renews several customers: one quote for all of them, one confirmation, and then one sale after the other.
import { Skeleton } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { newId } from "../../api/newId";
import { type Sale, unansweredSale } from "../../api/openSales";
import { messageOf } from "../../api/problem";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { formatNumber } from "../../i18n/formats";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { checkedBatch, keepChecked } from "./batch";
import { QuoteForm } from "./QuoteForm";
import type { Customer, QuoteRequest } from "./queries";
import { Selling } from "./Selling";
import { useSelling } from "./useSelling";

interface RenewDialogProps {
  customers: readonly Customer[];
  /** `hasSold`: whether selling began. */
  onClose: (hasSold: boolean) => void;
}

export default function RenewDialog({ customers, onClose }: RenewDialogProps) {
  const { t } = useTranslation();
  // A key for each customer, for as long as the dialog is open: whatever is sent again, is sold once.
  const [keys] = useState(() => new Map(customers.map(({ username }) => [username, newId()])));
  /** Months were typed, or customers removed. */
  const [isChanged, setChanged] = useState(false);
  const selling = useSelling();
  const { sales } = selling;
  const sentBefore = useSentBefore();
  const begin = async (confirmed: QuoteRequest["customers"]) => {
    const batch = confirmed.map(
      ({ username, months }): Sale => ({
        username,
        fullName: customers.find((one) => one.username === username)?.fullName ?? username,
        months,
        key: keys.get(username) ?? newId(),
        state: "waiting",
      }),
    );
    const checked = await sentBefore.check(batch);
    if (checked) selling.run(checked);
  };
  const close = () => {
    if (selling.isRunning) return;
    // What has no answer is kept, to be looked up in the ledger.
    if (sales && !sales.some(({ state }) => state === "unknown")) selling.forget();
    void askAndClose(isChanged && !sales, () => onClose(sales !== undefined));
  };
  const count = sales?.length ?? customers.length;
  return (
    <Dialog
      title={t("renewals.title", { count, number: formatNumber(count) })}
      onClose={close}
      size="xl"
      isForm
    >
      {sales ? (
        <Selling of={selling} sales={sales} onClose={close} />
      ) : (
        <>
          {isChanged && <LeaveGuard />}
          {sentBefore.isChecking && <Skeleton h={200} role="status" aria-label={t("renewals.checking")} />}
          <div hidden={sentBefore.isChecking}>
            <FailureAlert title={t("renewals.checkFailed")} mb="md">
              {sentBefore.failure !== undefined && messageOf(sentBefore.failure)}
            </FailureAlert>
            <QuoteForm
              customers={customers}
              onChanged={() => setChanged(true)}
              onConfirm={(confirmed) => void begin(confirmed)}
              onCancel={close}
            />
          </div>
        </>
      )}
    </Dialog>
  );
}

/** What the credit dialog sent to these customers and has no answer to is looked up before anything is sold to them. */
function useSentBefore() {
  const caller = useUser().username;
  const [isChecking, setChecking] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const isBusy = useRef(false);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);

  /** The batch with what was sold before; undefined where that could not be found out, or nobody waits for it any more. */
  const check = async (batch: readonly Sale[]): Promise<Sale[] | undefined> => {
    if (isBusy.current) return undefined;
    if (!batch.some(({ username }) => unansweredSale(caller, username))) return [...batch];
    isBusy.current = true;
    setChecking(true);
    setFailure(undefined);
    try {
      const checked = await checkedBatch(caller, batch);
      if (!isThere.current) return undefined;
      keepChecked(caller, checked);
      return checked;
    } catch (error) {
      setFailure(error);
      return undefined;
    } finally {
      isBusy.current = false;
      setChecking(false);
    }
  };
  return { isChecking, failure, check };
}
