// How well TV guides cover the channels: the next 24 hours, channels without a guide, stale guides. Each number links to its list.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { guideHealth } from "../../guides/queries";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { Panel } from "./Panel";

export function Guides() {
  const { t } = useTranslation();
  const { data, isError } = useQuery(guideHealth);
  const without = data?.without.reduce((sum, { count }) => sum + count, 0);
  const stale = data?.guides.filter((one) => one.stale).length;
  const rows = [
    {
      name: t("dashboards.guides.covered"),
      value: data && `${data.day.percent} %`,
      to: paths.scheduleOf({ show: "uncovered", hours: 24 }),
    },
    {
      name: t("dashboards.guides.without"),
      value: without === undefined ? undefined : formatNumber(without),
      to: without ? paths.scheduleOf({ show: "without" }) : undefined,
    },
    {
      name: t("dashboards.guides.stale"),
      value: stale === undefined ? undefined : formatNumber(stale),
      to: stale ? paths.staleGuides : undefined,
    },
  ];
  return (
    <Panel title={t("dashboards.guides.title")}>
      {isError ? (
        <p className="panel-empty">{t("dashboards.guides.failed")}</p>
      ) : data?.channels === 0 ? (
        <p className="panel-empty">{t("dashboards.guides.noChannels")}</p>
      ) : (
        <dl className="content-counts">
          {rows.map(({ name, value, to }) => (
            <div key={name}>
              <dt>{to ? <Link to={to}>{name}</Link> : name}</dt>
              <dd className="tabular">{value ?? <Skeleton h={24} w="3rem" my={3} />}</dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  );
}
