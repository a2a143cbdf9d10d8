// The five agents with the most sales, each with a link to their movements.
import { Skeleton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { Panel } from "./Panel";
import type { SellingAgent } from "./queries";

export function TopSellers({ agents }: { agents: readonly SellingAgent[] | undefined }) {
  const { t } = useTranslation();
  return (
    <Panel title={t("dashboards.topSellers")}>
      <div className="five-rows">
        {!agents ? (
          ["a", "b", "c", "d", "e"].map((row) => <Skeleton key={row} h={36} my={6} />)
        ) : agents.length === 0 ? (
          <p className="panel-empty">{t("dashboards.noData")}</p>
        ) : (
          <ol className="user-list">
            {agents.map(({ username, fullName, totalSales }, index) => (
              <li key={username}>
                <span className="rank tabular" aria-hidden="true">
                  {index + 1}
                </span>
                <span className="dashboard-user">
                  <Link to={paths.creditsHistoryOf(username)}>{fullName}</Link>
                  <span className="quiet">{username}</span>
                </span>
                <strong className="tabular">
                  {t("dashboards.sales", { count: totalSales, number: formatNumber(totalSales) })}
                </strong>
              </li>
            ))}
          </ol>
        )}
      </div>
    </Panel>
  );
}
