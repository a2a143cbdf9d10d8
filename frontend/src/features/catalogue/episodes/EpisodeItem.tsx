// A row of the list of episodes. Rendered again only when its episode changes.
import { ActionIcon } from "@mantine/core";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { formatNumber } from "../../../i18n/formats";
import { formatRating } from "../../../i18n/lazyFormats";
import { DeleteIcon, EditIcon } from "../../../ui/icons";
import { StatusBadge } from "../../../ui/StatusBadge";
import { StatusSwitch } from "../../../ui/StatusSwitch";
import { Cover, Moment } from "../../../ui/values";
import { episodeName } from "./names";
import type { EpisodeRow } from "./queries";

interface EpisodeItemProps {
  episode: EpisodeRow;
  /** The address of its form, for users who may edit it. */
  editSearch?: string;
  onToggle?: (episode: EpisodeRow, active: boolean, name: string) => void;
  onDelete?: (episode: EpisodeRow) => Promise<void>;
}

export const EpisodeItem = memo(function EpisodeItem(props: EpisodeItemProps) {
  const { episode, editSearch, onToggle, onDelete } = props;
  const { t } = useTranslation();
  const name = episodeName(episode);
  const { durationMinutes, airDate, rating, views } = episode;
  const look = { variant: "subtle", color: "gray", size: "lg" } as const;
  return (
    <>
      <Cover url={episode.coverImageUrl} size="wide" />
      <div className="episode-words">
        <h2>
          {editSearch ? (
            <Link to={{ search: editSearch }} data-episode={episode.id}>
              {name}
            </Link>
          ) : (
            name
          )}
        </h2>
        <p className="quiet episode-facts tabular">
          <span>{t("episodes.minutes", { number: formatNumber(durationMinutes) })}</span>
          {airDate && <Moment of={airDate} />}
          {rating != null && <span>{t("episodes.rating", { rating: formatRating(rating) })}</span>}
          <span>{t("episodes.views", { count: views, number: formatNumber(views) })}</span>
        </p>
        {episode.spanishSynopsis && (
          <p lang="es" className="episode-synopsis">
            {episode.spanishSynopsis}
          </p>
        )}
      </div>
      {onToggle ? (
        <StatusSwitch
          active={episode.active}
          name={t("contents.toggle", { name })}
          label={episode.active ? t("status.active") : t("status.inactive")}
          onChange={(active) => onToggle(episode, active, name)}
        />
      ) : (
        <StatusBadge active={episode.active} />
      )}
      <span className="row-actions">
        {editSearch && (
          <ActionIcon
            {...look}
            component={Link}
            to={{ search: editSearch }}
            aria-label={t("contents.edit", { name })}
            title={t("common.edit")}
          >
            <EditIcon />
          </ActionIcon>
        )}
        {onDelete && (
          <ActionIcon
            {...look}
            aria-label={t("contents.delete", { name })}
            title={t("common.delete")}
            onClick={() => void onDelete(episode)}
          >
            <DeleteIcon />
          </ActionIcon>
        )}
      </span>
    </>
  );
});
