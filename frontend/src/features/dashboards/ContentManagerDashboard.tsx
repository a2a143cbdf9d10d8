// What content managers see first: what is to be done, what viewers report, and what can be watched.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { paths } from "../../routing/paths";
import { ActiveContents } from "./ActiveContents";
import { CountCards, toneOf } from "./CountCards";
import { DashboardFrame } from "./DashboardFrame";
import { Guides } from "./Guides";
import { dashboardQueries } from "./queries";
import { UnresolvedIssues } from "./UnresolvedIssues";
import { Worklist } from "./Worklist";

export function ContentManagerDashboard() {
  const { t } = useTranslation();
  const may = useMay();
  const query = useQuery(dashboardQueries.contentManager);
  const { data } = query;
  const pending = data && sum(data.unresolvedIssues);
  return (
    <DashboardFrame title={t("dashboards.contentManager")} query={query}>
      <CountCards
        cards={[
          {
            label: t("dashboards.counts.pendingReports"),
            value: pending,
            to: may("ISSUES_READ") ? paths.issues : undefined,
            tone: toneOf(pending, "danger"),
          },
          { label: t("dashboards.counts.activeContent"), value: data && sum(data.contentCounts) },
          {
            label: t("dashboards.counts.contentTypes"),
            value: data && Object.keys(data.contentCounts).length,
          },
        ]}
      />
      <div className="panels panels-work">
        <Worklist reports={pending} />
        <UnresolvedIssues counts={data?.unresolvedIssues} />
      </div>
      {may("TVGUIDE_READ") && may("TVCHANNEL_READ") && <Guides />}
      <ActiveContents counts={data?.contentCounts} />
    </DashboardFrame>
  );
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
