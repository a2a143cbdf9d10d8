// The windows of days with how many customers each has, of those whom the search finds.
import { Badge, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { RenewalWindow as labels } from "../../api/enums/RenewalWindow.gen";
import { messageOf } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { ErrorView } from "../../ui/ErrorView";
import type { ListState } from "../../ui/list/useListAddress";
import { useWindow, windows } from "./address";
import { renewalQueries } from "./queries";

export function WindowTabs({ of: state }: { of: Pick<ListState, "search" | "filters"> }) {
  const { t } = useTranslation();
  const { window: current, linkTo } = useWindow();
  const counts = useQuery(renewalQueries.counts(state));
  const countOf = (window: string) => counts.data?.find((one) => one.window === window)?.count;
  return (
    <>
      <nav className="renewal-tabs" aria-label={t("renewals.windows")}>
        {windows.map((window) => {
          const count = countOf(window);
          return (
            <Link key={window} to={linkTo(window)} aria-current={window === current ? "page" : undefined}>
              {labelOf(labels, window)}
              {count !== undefined ? (
                <Badge
                  variant="light"
                  color={window === "EXPIRED" && count > 0 ? "red" : "gray"}
                  className="tabular"
                >
                  {formatNumber(count)}
                </Badge>
              ) : (
                counts.isPending && <Skeleton h={18} w={28} radius="xl" />
              )}
            </Link>
          );
        })}
      </nav>
      {counts.error && !counts.data && (
        <ErrorView
          title={t("renewals.countsFailed")}
          message={messageOf(counts.error)}
          onRetry={() => void counts.refetch()}
        />
      )}
    </>
  );
}
