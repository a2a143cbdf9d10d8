// The page at /: the dashboard of the user's role. Other roles have no dashboard: viewers
// of the service, and roles that this version does not know.
import { Text } from "@mantine/core";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { PageHeading } from "../../ui/PageHeading";
import { AdminDashboard } from "./AdminDashboard";
import { AgentDashboard } from "./AgentDashboard";
import { ContentManagerDashboard } from "./ContentManagerDashboard";

const dashboards = new Map<string, ComponentType>([
  ["superadmin", AdminDashboard],
  ["admin", AdminDashboard],
  ["agent", AgentDashboard],
  ["contentManager", ContentManagerDashboard],
]);

export default function HomePage() {
  const { roleCode, roleName } = useUser();
  const Dashboard = dashboards.get(roleCode);
  return Dashboard ? <Dashboard /> : <NoDashboard roleName={roleName} />;
}

function NoDashboard({ roleName }: { roleName: string }) {
  const { t } = useTranslation();
  return (
    <section className="no-dashboard">
      <PageHeading title={t("dashboards.none")} />
      <Text c="dimmed">{t("dashboards.noneFor", { role: roleName })}</Text>
    </section>
  );
}
