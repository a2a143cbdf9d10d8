// Customers by when their subscription ends: tabs with their counts, and the renewal of those who are selected.
import { Alert, Button } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay, useUser } from "../../access/session";
import { keptBatch, type Sale } from "../../api/openSales";
import { loadTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { ListScreen } from "../../ui/list/ListScreen";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { type ListState, useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { useSelection } from "../../ui/list/useSelection";
import { useWindow } from "./address";
import { type ListedCustomer, renewalColumns, StatusNote } from "./columns";
import { ContactedIcon, HistoryIcon, MessageIcon, RenewIcon, ShowAgainIcon } from "./icons";
import { useShowAgain } from "./notes";
import { filterOf, type Matching, type RenewalWindow, renewalQueries } from "./queries";
import { SelectionBar } from "./SelectionBar";
import { useNumbered } from "./useNumbered";
import { WindowTabs } from "./WindowTabs";
import "./renewals.css";

const RenewDialog = lazyPart(() => import("./RenewDialog"), { isDialog: true });
const RenewMatching = lazyPart(() => import("./RenewMatching"), { isDialog: true });
const WriteMatching = lazyPart(() => import("./WriteMatching"), { isDialog: true });
const MessageDialog = lazyPart(() => import("./MessageDialog"), { isDialog: true });
const InterruptedDialog = lazyPart(() => import("./InterruptedDialog"), { isDialog: true });

/** Loaded with the texts of the day fields. */
const ContactDialog = lazyPart(
  async () => (await Promise.all([import("./ContactDialog"), loadTexts("empty")]))[0],
  { isDialog: true },
);

const list = { name: "renewals", size: 25, filters: ["snoozed"] };
/** Subscriptions that end next come first; in the window of expired ones, those that ended last. */
const endingNext = { ...list, sort: "expirationDate" };
const endedLast = { ...list, sort: "-expirationDate" };

/** The return path of the page of a customer. */
const fromRenewals = { from: "renewals" };
/** Columns that the file has in addition to those of the list: identity and contact. */
const contact = ["username", "fullName", "email", "phoneNumber", "expirationDate"];

type Open =
  | { is: "renew"; customers: ListedCustomer[] }
  | { is: "renewMatching"; matching: Matching }
  | { is: "message"; customers: ListedCustomer[] }
  | { is: "messageMatching"; window: RenewalWindow; state: ListState }
  | { is: "contact"; customer: ListedCustomer }
  | { is: "interrupted"; sales: Sale[] };

export default function RenewalsPage() {
  const { t } = useTranslation();
  const caller = useUser();
  const { window } = useWindow();
  const { state, change } = useListAddress(window === "EXPIRED" ? endedLast : endingNext);
  const page = useQuery(renewalQueries.list(window, state));
  const prefetchNext = useNextPage(state, page.data?.totalPages, (next) => renewalQueries.list(window, next));
  const { rows, named, numbersOf } = useNumbered(page.data?.content);
  const selection = useSelection({ search: state.search, filters: { window, ...state.filters } });
  const [open, setOpen] = useState<Open | undefined>(() => interrupted(caller.username));
  const columns = useInLanguage(renewalColumns);
  const resumable = open ? undefined : interrupted(caller.username);
  // An interrupted renewal is shown before another one can begin.
  const sell = (next: Open) => setOpen(interrupted(caller.username) ?? next);
  const renew = (customers: ListedCustomer[]) => sell({ is: "renew", customers });
  const total = page.data?.totalElements;
  /** Closes the dialog and deselects only the customers of its renewal. */
  const close = (sold: readonly { username: string }[] = []) => {
    setOpen(undefined);
    for (const id of numbersOf(sold.map(({ username }) => username))) selection.forget(id);
  };

  return (
    <>
      <ListScreen<ListedCustomer>
        name={list.name}
        title={t("pages.renewals")}
        searchLabel={t("renewals.search")}
        columns={columns}
        state={state}
        change={change}
        filters={[
          {
            key: "snoozed",
            label: t("renewals.snoozedFilter"),
            options: [
              { value: "true", label: t("renewals.onlySnoozed"), heading: t("renewals.onlySnoozedHeading") },
            ],
          },
        ]}
        answer={{ ...answerOf(page), rows }}
        aside={
          <ListExport
            list={list.name}
            file="spreadsheets/renewals"
            query={{
              window,
              _sort: state.sort,
              search: state.search,
              snoozed: state.filters.snoozed === "true" ? "true" : undefined,
            }}
            total={total}
            columns={columns}
            also={contact}
          />
        }
        header={
          <>
            {resumable && (
              <Alert color="yellow" mb="sm" className="renewal-resumable">
                {t("renewals.resumable")}
                <Button size="compact-sm" variant="default" onClick={() => setOpen(resumable)}>
                  {t("renewals.review")}
                </Button>
              </Alert>
            )}
            <WindowTabs of={state} />
          </>
        }
        selectable={{ selection, nameOf: (row) => row.fullName }}
        selected={
          (selection.everything || selection.ids.length > 0) && (
            <SelectionBar
              selection={selection}
              total={total}
              onRenew={() =>
                selection.everything
                  ? sell({
                      is: "renewMatching",
                      matching: { filter: filterOf(window, state), count: total ?? 0 },
                    })
                  : renew(named(selection.ids.map(Number)))
              }
              onWrite={() =>
                setOpen(
                  selection.everything
                    ? { is: "messageMatching", window, state }
                    : { is: "message", customers: named(selection.ids.map(Number)) },
                )
              }
            />
          )
        }
        identity={(row, leave) => (
          <span className="renewal-customer">
            <Link to={paths.user(row.username)} state={fromRenewals} data-row={row.id} onClick={leave}>
              {row.fullName}
            </Link>
            <span className="quiet">{row.username}</span>
            <StatusNote status={row.status} />
          </span>
        )}
        actions={(row, leave) => <RowActions row={row} onLeave={leave} onRenew={renew} onOpen={setOpen} />}
        onIntent={prefetchNext}
      />
      <RenewalDialogs open={open} onClose={close} onAllSold={selection.clear} />
    </>
  );
}

interface RowActionsProps {
  row: ListedCustomer;
  onLeave: () => void;
  onRenew: (customers: ListedCustomer[]) => void;
  onOpen: (open: Open) => void;
}

/** The row actions of a customer. */
function RowActions({ row, onLeave, onRenew, onOpen }: RowActionsProps) {
  const { t } = useTranslation();
  const may = useMay();
  const showAgain = useShowAgain();
  const { fullName: name } = row;
  return (
    <ActionButtons
      name={name}
      actions={[
        {
          label: t("renewals.renewOne", { name }),
          verb: t("renewals.renewVerb"),
          Icon: RenewIcon,
          onClick: () => onRenew([row]),
        },
        {
          label: t("renewals.write", { name }),
          verb: t("renewals.writeVerb"),
          Icon: MessageIcon,
          onClick: () => onOpen({ is: "message", customers: [row] }),
        },
        {
          label: t("renewals.contactOne", { name }),
          verb: t("renewals.contactVerb"),
          Icon: ContactedIcon,
          onClick: () => onOpen({ is: "contact", customer: row }),
        },
        ...(row.snoozedUntil
          ? [
              {
                label: t("renewals.showAgain", { name }),
                verb: t("renewals.showAgainVerb"),
                Icon: ShowAgainIcon,
                onClick: () => void showAgain(row),
              },
            ]
          : []),
        ...(may("CREDIT_HISTORY_READ")
          ? [
              {
                label: t("renewals.history", { name }),
                verb: t("renewals.historyVerb"),
                Icon: HistoryIcon,
                to: paths.creditsHistoryOf(row.username),
                onClick: onLeave,
              },
            ]
          : []),
      ]}
    />
  );
}

interface RenewalDialogsProps {
  open: Open | undefined;
  /** Receives the customers of a renewal that sold something. */
  onClose: (sold?: readonly { username: string }[]) => void;
  /** Called when all matching customers were renewed. */
  onAllSold: () => void;
}

/** The dialog that is open. */
function RenewalDialogs({ open, onClose, onAllSold }: RenewalDialogsProps) {
  return (
    <Suspense fallback={null}>
      {open?.is === "renew" && (
        <RenewDialog
          customers={open.customers}
          onClose={(hasSold) => onClose(hasSold ? open.customers : [])}
        />
      )}
      {open?.is === "renewMatching" && (
        <RenewMatching
          matching={open.matching}
          onClose={(hasSold) => {
            if (hasSold) onAllSold();
            onClose();
          }}
        />
      )}
      {open?.is === "messageMatching" && (
        <WriteMatching window={open.window} state={open.state} onClose={() => onClose()} />
      )}
      {open?.is === "message" && <MessageDialog customers={open.customers} onClose={() => onClose()} />}
      {open?.is === "contact" && <ContactDialog customer={open.customer} onClose={() => onClose()} />}
      {open?.is === "interrupted" && (
        <InterruptedDialog sales={open.sales} onClose={() => onClose(open.sales)} />
      )}
    </Suspense>
  );
}

/** The renewal that was interrupted by a reload of this tab or the end of the session. */
function interrupted(username: string): Open | undefined {
  const sales = keptBatch(username);
  return sales && { is: "interrupted", sales };
}
