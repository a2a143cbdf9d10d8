// What an agent sees first: its stock, its users, who of them expires.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { lowStock } from "../../access/lowStock";
import { useMay } from "../../access/session";
import { paths } from "../../routing/paths";
import { CountCards, endingCards, monthsOf } from "./CountCards";
import { DashboardFrame } from "./DashboardFrame";
import { ExpiringNext } from "./ExpiringNext";
import { MonthsChart } from "./MonthsChart";
import { dashboardQueries } from "./queries";

export function AgentDashboard() {
  const { t } = useTranslation();
  const may = useMay();
  const query = useQuery(dashboardQueries.agent);
  const { data } = query;
  const left = data?.totalSaleCredits ?? Number.POSITIVE_INFINITY;
  return (
    <DashboardFrame title={t("dashboards.agent")} query={query}>
      <CountCards
        cards={[
          {
            label: t("dashboards.counts.saleCredits"),
            value: data?.totalSaleCredits,
            tone: left < lowStock ? "danger" : left === lowStock ? "warning" : undefined,
            note: left < lowStock ? t("dashboards.lowStock") : undefined,
            to: may("CREDIT_HISTORY_READ") ? paths.creditsHistory : undefined,
            change: monthsOf(data?.monthly, "creditsSold", (values) => t("dashboards.soldThisMonth", values)),
          },
          {
            label: t("dashboards.counts.appCredits"),
            value: data?.totalAppCredits,
            to: paths.usersOfRole("app"),
          },
          {
            label: t("dashboards.counts.registeredUsers"),
            value: data?.totalRegisteredUsers,
            to: paths.users,
            change: monthsOf(data?.monthly, "registrations", (values) => t("dashboards.thisMonth", values)),
          },
          {
            label: t("dashboards.counts.registeredAgents"),
            value: data?.totalRegisteredAgents,
            to: paths.usersOfRole("agent"),
          },
          ...endingCards(data),
        ]}
      />
      <div className="panels panels-wide">
        <MonthsChart months={data?.monthly} />
        <ExpiringNext users={data?.expiringNext} />
      </div>
    </DashboardFrame>
  );
}
