// On the dashboard of admins: the last good backup is too old. Shows nothing otherwise.
import { Alert } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../routing/paths";
import { AlertIcon } from "../../ui/icons";
import { backupsQuery } from "./queries";

export function BackupWarning() {
  const { t } = useTranslation();
  const { data } = useQuery(backupsQuery);
  if (!data?.overdue) return null;
  return (
    <Alert color="red" variant="default" icon={<AlertIcon />} title={t("dashboards.backupOverdue.title")}>
      <Link to={paths.backups}>{t("dashboards.backupOverdue.see")}</Link>
    </Alert>
  );
}
