// What an agent sees first: its stock, its people, who of them expires.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths";
import { CountCards, toneOf } from "./CountCards";
import { DashboardFrame } from "./DashboardFrame";
import { ExpiringNext } from "./ExpiringNext";
import { MonthsChart } from "./MonthsChart";
import { dashboardQueries } from "./queries";

/** An agent's stock is low below this (docs/spec/dashboards.md#agent). */
const lowStock = 12;

export function AgentDashboard() {
  const { t } = useTranslation();
  const query = useQuery(dashboardQueries.agent);
  const { data } = query;
  const isLow = data !== undefined && data.totalSaleCredits <= lowStock;
  return (
    <DashboardFrame title={t("dashboards.agent")} query={query}>
      <CountCards
        cards={[
          {
            label: t("dashboards.counts.saleCredits"),
            value: data?.totalSaleCredits,
            tone: isLow ? (data.totalSaleCredits < lowStock ? "danger" : "warning") : undefined,
            note: isLow ? t("dashboards.lowStock") : undefined,
          },
          { label: t("dashboards.counts.appCredits"), value: data?.totalAppCredits },
          {
            label: t("dashboards.counts.registeredUsers"),
            value: data?.totalRegisteredUsers,
            to: paths.users,
          },
          { label: t("dashboards.counts.registeredAgents"), value: data?.totalRegisteredAgents },
          {
            label: t("dashboards.counts.expired"),
            value: data?.expiredUsers,
            to: paths.usersWithStatus("expired"),
            tone: toneOf(data?.expiredUsers, "danger"),
          },
          {
            label: t("dashboards.counts.aboutToExpire"),
            value: data?.usersAboutToExpire,
            to: paths.usersWithStatus("aboutToExpire"),
            tone: toneOf(data?.usersAboutToExpire, "warning"),
          },
        ]}
      />
      <div className="panels panels-wide">
        <MonthsChart months={data?.monthly} />
        <ExpiringNext users={data?.expiringNext} />
      </div>
    </DashboardFrame>
  );
}
