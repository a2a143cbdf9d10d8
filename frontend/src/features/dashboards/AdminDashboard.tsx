// The home page of admins: users, sales, expiring subscriptions and amounts of content.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { paths } from "../../routing/paths";
import { BackupWarning } from "../backups/BackupWarning";
import { ActiveContents } from "./ActiveContents";
import { CountCards, endingCards, monthsOf } from "./CountCards";
import { DashboardFrame } from "./DashboardFrame";
import { ExpiringNext } from "./ExpiringNext";
import { MonthsChart } from "./MonthsChart";
import { dashboardQueries } from "./queries";
import { TopSellers } from "./TopSellers";

export function AdminDashboard() {
  const { t } = useTranslation();
  const query = useQuery(dashboardQueries.admin);
  const { data } = query;
  return (
    <DashboardFrame title={t("dashboards.admin")} query={query}>
      <BackupWarning />
      <CountCards
        cards={[
          {
            label: t("dashboards.counts.users"),
            value: data?.totalUsers,
            to: paths.users,
            change: monthsOf(data?.monthly, "registrations", (values) => t("dashboards.thisMonth", values)),
          },
          {
            label: t("dashboards.counts.agents"),
            value: data?.totalAgents,
            to: paths.usersOfRole("agent"),
          },
          ...endingCards(data),
        ]}
      />
      <div className="panels panels-wide">
        <div className="panel-stack">
          <MonthsChart months={data?.monthly} />
          <TopSellers agents={data?.topSellingAgents} />
        </div>
        <ExpiringNext users={data?.expiringNext} />
      </div>
      <ActiveContents counts={data?.contentCounts} />
    </DashboardFrame>
  );
}
