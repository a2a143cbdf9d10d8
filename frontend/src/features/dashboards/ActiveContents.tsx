// The number of active items of each type. It links to the counted list, with the permission to see it;
// episodes are in the list of shows.
import { Skeleton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { Panel } from "./Panel";
import type { ContentCounts } from "./queries";

const lists: Record<keyof ContentCounts, Kind> = {
  movies: "movies",
  series: "tv-shows",
  episodes: "tv-shows",
  concerts: "concerts",
  sports: "sports",
  documentaries: "documentaries",
};
const types = Object.entries(lists) as [keyof ContentCounts, Kind][];

export function ActiveContents({ counts }: { counts: ContentCounts | undefined }) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <Panel title={t("dashboards.contents.title")}>
      <dl className="content-counts">
        {types.map(([key, kind]) => {
          const label = t(`dashboards.contents.${key}`);
          return (
            <div key={key}>
              <dt>
                {may(`${contentEntries[kind].entity}_READ`) ? (
                  <Link to={paths.activeContents(kind)}>{label}</Link>
                ) : (
                  label
                )}
              </dt>
              <dd className="tabular">
                {counts ? formatNumber(counts[key]) : <Skeleton h={24} w="3rem" my={3} />}
              </dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}
