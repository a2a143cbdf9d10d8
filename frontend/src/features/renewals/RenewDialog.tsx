// Renews several customers: one quote for all of them, one confirmation, and then one sale after the other.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { newId } from "../../api/newId";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { formatNumber } from "../../i18n/formats";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import type { Sale } from "./batch";
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
  const begin = (confirmed: QuoteRequest["customers"]) =>
    selling.run(
      confirmed.map(
        ({ username, months }): Sale => ({
          username,
          fullName: customers.find((one) => one.username === username)?.fullName ?? username,
          months,
          key: keys.get(username) ?? newId(),
          state: "waiting",
        }),
      ),
    );
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
          <QuoteForm
            customers={customers}
            onChanged={() => setChanged(true)}
            onConfirm={begin}
            onCancel={close}
          />
        </>
      )}
    </Dialog>
  );
}
