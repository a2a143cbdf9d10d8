// The tabs of reports with their counts, and the switch that groups reports by content.
import { Badge, Skeleton, Switch } from "@mantine/core";
import "@mantine/core/styles/Switch.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { formatNumber } from "../../i18n/formats";
import { type Tab, tabs, useIssueAddress } from "./address";
import { issueQueries, type Stats } from "./queries";

const countOf: Record<Tab, (stats: Stats) => number> = {
  reported: ({ reportados, enProgreso }) => reportados + enProgreso,
  repaired: ({ resueltos }) => resueltos,
  all: ({ total }) => total,
};

export function IssueTabs() {
  const { t } = useTranslation();
  const { tab: current, isGrouped, linkTo, change } = useIssueAddress();
  const stats = useQuery(issueQueries.stats());
  const groupSwitch = useRef<HTMLInputElement>(null);
  const isSwitched = (useLocation().state as { switched?: boolean } | null)?.switched;
  // The other list is rendered now: the focus stays on the tab.
  useEffect(() => {
    if (isSwitched) groupSwitch.current?.focus({ preventScroll: true });
  }, [isSwitched]);
  return (
    <div className="issue-tools">
      <nav className="issue-tabs" aria-label={t("issues.tabs.label")}>
        {tabs.map((tab) => (
          <Link
            key={tab}
            to={linkTo({ tab: tab === "reported" ? undefined : tab, grouped: undefined, group: undefined })}
            aria-current={tab === current ? "page" : undefined}
          >
            {t(`issues.tabs.${tab}`)}
            {stats.data ? (
              <Badge variant="light" color="gray" className="tabular">
                {formatNumber(countOf[tab](stats.data))}
              </Badge>
            ) : (
              stats.isPending && <Skeleton h={18} w={28} radius="xl" />
            )}
          </Link>
        ))}
      </nav>
      {current === "reported" && (
        <Switch
          ref={groupSwitch}
          label={t("issues.groupBy")}
          checked={isGrouped}
          onChange={(event) =>
            change(
              { grouped: event.currentTarget.checked ? 1 : undefined, group: undefined, sort: undefined },
              { switched: true },
            )
          }
        />
      )}
    </div>
  );
}
