// The read-only page of a show: its fields, its seasons, a link to its episodes.
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ShowClassification } from "../../../api/enums/ShowClassification.gen";
import { ShowGenre } from "../../../api/enums/ShowGenre.gen";
import { ShowStatus } from "../../../api/enums/ShowStatus.gen";
import { messageOf } from "../../../api/problem";
import { labelOf } from "../../../i18n/enums";
import { formatNumber } from "../../../i18n/formats";
import { paths } from "../../../routing/paths";
import { FormSection } from "../../../ui/FormSection";
import { StatusBadge } from "../../../ui/StatusBadge";
import { Moment } from "../../../ui/values";
import type { Stored } from "../contents";
import ItemDetails from "../ItemDetails";
import "./episodes.css";
import { seriesQueries } from "./queries";

const day = (value: string | null) => value && <Moment of={value} />;
const amount = (value: number | null) => value !== null && formatNumber(value);
const facts = {
  totalSeasons: amount,
  totalEpisodes: amount,
  firstAirDate: day,
  lastAirDate: day,
  status: (code: string | null) => code && labelOf(ShowStatus, code),
  creators: (creators: string | null) => creators,
};

export default function ShowDetails({ item }: { item: Stored<"tv-shows"> }) {
  const { t } = useTranslation();
  return (
    <ItemDetails
      kind="tv-shows"
      item={item}
      category="TV_SHOW"
      genres={ShowGenre}
      classification={ShowClassification}
      facts={facts}
    >
      <FormSection title={t("seasons.page")}>
        <Seasons showId={item.id} expected={item.totalSeasons ?? 1} />
        <Button component={Link} to={paths.episodes(item.id)} variant="default" mt="md">
          {t("series.episodes")}
        </Button>
      </FormSection>
    </ItemDetails>
  );
}

function Seasons({ showId, expected }: { showId: number; expected: number }) {
  const { t } = useTranslation();
  const seasons = useQuery(seriesQueries.seasons(showId));
  if (seasons.isError && !seasons.data) return <p role="alert">{messageOf(seasons.error)}</p>;
  if (!seasons.data)
    return (
      <ul className="seasons-brief" aria-busy="true" aria-label={t("seasons.loading")}>
        {Array.from({ length: Math.min(expected, 60) }, (_, index) => index).map((index) => (
          <li key={index}>
            <Skeleton h={20} w="12rem" />
          </li>
        ))}
      </ul>
    );
  if (seasons.data.length === 0) return <p className="quiet seasons-brief">{t("seasons.none")}</p>;
  return (
    <ul className="seasons-brief">
      {seasons.data.map(({ id, seasonNumber, title, episodeCount = 0, airDate, active }) => (
        <li key={id}>
          <Link to={{ pathname: paths.episodes(showId), search: `?season=${seasonNumber}` }}>
            {t("episodes.seasonNumber", { number: seasonNumber })}
          </Link>
          <span className="quiet episode-facts tabular">
            {title && <span>{title}</span>}
            <span>
              {t("series.episodeCount", { count: episodeCount, number: formatNumber(episodeCount) })}
            </span>
            {airDate && <Moment of={airDate} />}
          </span>
          {!active && <StatusBadge active={false} />}
        </li>
      ))}
    </ul>
  );
}
