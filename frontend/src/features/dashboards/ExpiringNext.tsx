// Whose subscription ends next, soonest first; each is one click from the dialog that prolongs it.
import { Skeleton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { Deadline } from "../../ui/Deadline";
import { Panel } from "./Panel";
import type { ExpiringUser } from "./queries";

const atMost = 10;

export function ExpiringNext({ users }: { users: readonly ExpiringUser[] | undefined }) {
  const { t } = useTranslation();
  return (
    <Panel title={t("dashboards.expiring.title")} help={t("dashboards.expiring.help")}>
      {!users ? (
        Array.from({ length: atMost }, (_, row) => row).map((row) => <Skeleton key={row} h={36} my={6} />)
      ) : users.length === 0 ? (
        <p className="panel-empty">{t("dashboards.expiring.none")}</p>
      ) : (
        <ol className="user-list">
          {users.map(({ username, fullName, credits, expirationDate }) => (
            <li key={username}>
              <span className="dashboard-user">
                <Link to={paths.userCredits(username)}>{fullName}</Link>
                <span className="quiet">{username}</span>
              </span>
              <span className="ends">
                <Deadline
                  of={expirationDate}
                  ahead={(when) => t("dashboards.expiring.expires", { when })}
                  past={(when) => t("dashboards.expiring.expired", { when })}
                />
                <span className="quiet tabular">
                  {t("dashboards.expiring.credits", { count: credits, number: formatNumber(credits) })}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
