// The number of episodes of a show, with a link to them.
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { formatNumber } from "../../../i18n/formats";
import { paths } from "../../../routing/paths";
import type { Row } from "../contents";

type ShowRow = Row<"tv-shows">;

export function EpisodeCount({ show }: { show: ShowRow }) {
  const { t } = useTranslation();
  const { episodesStored: stored, totalEpisodes: total } = show;
  // The seasons and episodes that exist, of those that the show declares.
  const count =
    total == null
      ? stored
        ? formatNumber(stored)
        : t("series.notAvailable")
      : t("series.storedOf", { stored: formatNumber(stored), total: formatNumber(total) });
  const name = t("series.viewEpisodes", { name: show.title });
  return (
    <Link to={paths.episodes(show.id)} className="cell-link" aria-label={`${count}, ${name}`} title={name}>
      {count}
    </Link>
  );
}
