// Renews all customers that match a filter: the server evaluates it when the dialog opens, and again before anything is sold.
import { Skeleton } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf, Problem } from "../../api/problem";
import { ErrorView } from "../../ui/ErrorView";
import { type Matching, type QuoteLine, quoteMatching, renewalQueries } from "./queries";
import RenewDialog from "./RenewDialog";

interface RenewMatchingProps {
  matching: Matching;
  /** `hasSold`: whether selling began. */
  onClose: (hasSold: boolean) => void;
}

export default function RenewMatching({ matching, onClose }: RenewMatchingProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const quote = useQuery(renewalQueries.matching(matching));
  const customers = quote.data?.customers.map(({ username, fullName, expirationBefore }) => ({
    username,
    fullName: fullName ?? username,
    expirationDate: expirationBefore,
  }));
  const close = (hasSold: boolean) => {
    // What was found by then is what the list shows next.
    if (!hasSold) void client.invalidateQueries({ predicate: ({ queryKey }) => isList(queryKey) });
    onClose(hasSold);
  };
  /** Why nothing is sold; undefined where the same customers match, with the same ends. */
  const changedSince = async (): Promise<string | undefined> => {
    try {
      const now = await quoteMatching(matching);
      return isSame(quote.data?.customers ?? [], now.customers) ? undefined : t("renewals.nothingSold");
    } catch (error) {
      if (!(error instanceof Problem) || !isAboutTheNumber(error)) throw error;
      return `${error.message} ${t("renewals.nothingSold")}`;
    }
  };
  const shown = quote.error ? (
    <ErrorView
      title={t("renewals.quoteFailed")}
      message={messageOf(quote.error)}
      onRetry={() => void quote.refetch()}
    />
  ) : (
    <Skeleton h={200} role="status" aria-label={t("renewals.finding")} />
  );
  return (
    <RenewDialog
      customers={customers ?? []}
      finding={customers ? undefined : { count: matching.count, shown }}
      changedSince={changedSince}
      onClose={close}
    />
  );
}

const isList = (key: readonly unknown[]) => key[0] === "renewals" && key[1] !== "quote";

/** Whether another number of customers matches, or more than are renewed at once. */
const isAboutTheNumber = ({ code, violations }: Problem) =>
  code === "COUNT_CHANGED" || violations.some((one) => one.code === "TOO_MANY");

function isSame(before: readonly QuoteLine[], now: readonly QuoteLine[]): boolean {
  const ends = new Map(before.map(({ username, expirationBefore }) => [username, expirationBefore]));
  return (
    before.length === now.length &&
    now.every(({ username, expirationBefore }) => ends.get(username) === expirationBefore)
  );
}
