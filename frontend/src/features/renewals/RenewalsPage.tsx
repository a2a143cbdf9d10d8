// Customers by when their subscription ends: tabs with their counts, and the renewal of those who are selected.
import { Alert, Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isAdmin } from "../../access/permissions";
import { useMay, useUser } from "../../access/session";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListScreen } from "../../ui/list/ListScreen";
import { useListAddress } from "../../ui/list/useListAddress";
import { useSelection } from "../../ui/list/useSelection";
import { useWindow } from "./address";
import { keptBatch, type Sale } from "./batch";
import { type ListedCustomer, renewalColumns, StatusNote } from "./columns";
import { HistoryIcon, MessageIcon, RenewIcon } from "./icons";
import { renewalQueries } from "./queries";
import { SelectionBar } from "./SelectionBar";
import { useNumbered } from "./useNumbered";
import { WindowTabs } from "./WindowTabs";
import "./renewals.css";

const RenewDialog = lazyPart(() => import("./RenewDialog"), { isDialog: true });
const MessageDialog = lazyPart(() => import("./MessageDialog"), { isDialog: true });
const InterruptedDialog = lazyPart(() => import("./InterruptedDialog"), { isDialog: true });

const list = { name: "renewals", size: 25 };
/** Those who end next come first, and of those who have ended the last. */
const endingNext = { ...list, sort: "expirationDate" };
const endedLast = { ...list, sort: "-expirationDate" };

type Open =
  | { is: "renew"; customers: ListedCustomer[] }
  | { is: "message"; customer: ListedCustomer }
  | { is: "interrupted"; sales: Sale[] };

export default function RenewalsPage() {
  const { t, i18n } = useTranslation();
  const caller = useUser();
  const may = useMay();
  const client = useQueryClient();
  const { window } = useWindow();
  const { state, change } = useListAddress(window === "EXPIRED" ? endedLast : endingNext);
  const page = useQuery(renewalQueries.list(window, state));
  const { rows, named } = useNumbered(page.data?.content);
  const selection = useSelection({ search: state.search, filters: { window } });
  const [open, setOpen] = useState<Open | undefined>(() => interrupted(caller.username));
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels follow the language
  const columns = useMemo(() => renewalColumns(), [i18n.language]);
  const unfinished = open ? undefined : interrupted(caller.username);
  // What has begun is known before anything else is sold.
  const renew = (customers: ListedCustomer[]) =>
    setOpen(interrupted(caller.username) ?? { is: "renew", customers });
  const close = () => {
    setOpen(undefined);
    selection.clear();
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
        answer={{ ...answerOf(page), rows }}
        above={
          <>
            {unfinished && (
              <Alert color="yellow" mb="sm" className="renewal-unfinished">
                {t("renewals.unfinished")}
                <Button size="compact-sm" variant="default" onClick={() => setOpen(unfinished)}>
                  {t("renewals.review")}
                </Button>
              </Alert>
            )}
            <WindowTabs search={state.search} />
          </>
        }
        selectable={{ selection, nameOf: (row) => row.fullName }}
        selected={
          selection.ids.length > 0 && (
            <SelectionBar selection={selection} onRenew={() => renew(named(selection.ids.map(Number)))} />
          )
        }
        identity={(row, leave) => (
          <span className="renewal-customer">
            {row.status !== "SUSPENDED" || isAdmin(caller) ? (
              <Link to={paths.editUser(row.username)} data-row={row.id} onClick={leave}>
                {row.fullName}
              </Link>
            ) : (
              <strong>{row.fullName}</strong>
            )}
            <span className="quiet">{row.username}</span>
            <StatusNote status={row.status} />
          </span>
        )}
        actions={(row, leave) => (
          <ActionButtons
            name={row.fullName}
            actions={[
              {
                label: t("renewals.renewOne", { name: row.fullName }),
                verb: t("renewals.renewVerb"),
                Icon: RenewIcon,
                onClick: () => renew([row]),
              },
              {
                label: t("renewals.write", { name: row.fullName }),
                verb: t("renewals.writeVerb"),
                Icon: MessageIcon,
                onClick: () => setOpen({ is: "message", customer: row }),
              },
              ...(may("CREDIT_HISTORY_READ")
                ? [
                    {
                      label: t("renewals.history", { name: row.fullName }),
                      verb: t("renewals.historyVerb"),
                      Icon: HistoryIcon,
                      to: paths.creditsHistoryOf(row.username),
                      onClick: leave,
                    },
                  ]
                : []),
            ]}
          />
        )}
        onIntent={() => {
          if (state.page + 1 < (page.data?.totalPages ?? 0))
            void client.prefetchQuery(renewalQueries.list(window, { ...state, page: state.page + 1 }));
        }}
      />
      <Suspense fallback={null}>
        {open?.is === "renew" && <RenewDialog customers={open.customers} onClose={close} />}
        {open?.is === "message" && (
          <MessageDialog customer={open.customer} onClose={() => setOpen(undefined)} />
        )}
        {open?.is === "interrupted" && <InterruptedDialog sales={open.sales} onClose={close} />}
      </Suspense>
    </>
  );
}

/** What was being sold when this tab was reloaded or the session ended. */
function interrupted(username: string): Open | undefined {
  const sales = keptBatch(username);
  return sales && { is: "interrupted", sales };
}
