// The seasons of a show.
import { ActionIcon, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../../access/session";
import { messageOf } from "../../../api/problem";
import { loadTexts } from "../../../i18n";
import { formatNumber } from "../../../i18n/formats";
import { lazyPart } from "../../../loading/lazyPart";
import { confirm } from "../../../ui/confirm";
import { Empty } from "../../../ui/Empty";
import { ErrorView } from "../../../ui/ErrorView";
import { AddIcon, DeleteIcon, EditIcon } from "../../../ui/icons";
import { SelectPage, SelectRow } from "../../../ui/list/SelectBox";
import { useSelection } from "../../../ui/list/useSelection";
import { StatusBadge } from "../../../ui/StatusBadge";
import { StatusSwitch } from "../../../ui/StatusSwitch";
import { Cover, Moment } from "../../../ui/values";
import { PartTools } from "./PartTools";
import { seasonParts } from "./parts";
import { type SeasonRow, seriesQueries, useDeleteSeason, useToggleSeason } from "./queries";
import { SkeletonRows } from "./SkeletonRows";
import { useSeriesAddress } from "./useSeriesAddress";

const SeasonDialog = lazyPart(async () => ({ default: (await import("./SeasonDialog")).SeasonDialog }), {
  isDialog: true,
});

const SelectionBar = lazyPart(
  async () => (await Promise.all([import("../bulk/SelectionBar"), loadTexts("operations")]))[0],
);

/** All seasons of a show are one list: neither searched nor filtered. */
const whole = { search: "", filters: {} };

export function SeasonList({ showId }: { showId: number }) {
  const { t } = useTranslation();
  const may = useMay();
  const mayEdit = may("TVSHOW_UPDATE");
  const seasons = useQuery(seriesQueries.seasons(showId));
  const { edited: requestedId, change } = useSeriesAddress();
  const [chosen, setChosen] = useState<SeasonRow | "new">();
  const edited = chosen ?? (mayEdit ? seasons.data?.find(({ id }) => id === requestedId) : undefined);
  const close = () => {
    setChosen(undefined);
    if (requestedId) change({ edit: undefined }, { replace: true });
  };
  const selection = useSelection(whole);
  // Also where an operation has removed the rows: its dialog is part of the bar.
  const hasSelected = selection.everything || selection.ids.length > 0;
  const ids = seasons.data?.map(({ id }) => id) ?? [];
  const add = may("TVSHOW_CREATE") && (
    <Button leftSection={<AddIcon />} onClick={() => setChosen("new")}>
      {t("seasons.add")}
    </Button>
  );
  return (
    <section aria-label={t("seasons.page")}>
      <div className="list-tools">
        {mayEdit && ids.length > 0 && <SelectPage selection={selection} page={ids} />}
        <output className="quiet shown-count tabular" aria-live="polite">
          {seasons.data
            ? t("series.seasonCount", {
                count: seasons.data.length,
                number: formatNumber(seasons.data.length),
              })
            : seasons.isPending && t("seasons.loading")}
        </output>
        <div className="page-actions">
          <PartTools
            kind="seasons"
            showId={showId}
            query={{ tvShowId: showId, _sort: "+seasonNumber" }}
            total={seasons.data?.length}
          />
          {add}
        </div>
      </div>
      {seasons.isError && !seasons.data ? (
        <ErrorView
          title={t("list.failed")}
          message={messageOf(seasons.error)}
          onRetry={() => void seasons.refetch()}
        />
      ) : !seasons.data ? (
        <SkeletonRows height={69} />
      ) : seasons.data.length === 0 ? (
        <Empty>{t("seasons.none")}</Empty>
      ) : (
        <ul className="episodes" aria-label={t("seasons.page")}>
          {seasons.data.map((season) => (
            <SeasonItem
              key={season.id}
              showId={showId}
              season={season}
              selectBox={
                mayEdit && (
                  <SelectRow
                    selection={selection}
                    id={season.id}
                    page={ids}
                    name={seasonParts.nameOf(season)}
                  />
                )
              }
              onEdit={() => setChosen(season)}
              onDeleted={() => selection.forget(season.id)}
            />
          ))}
        </ul>
      )}
      {mayEdit && hasSelected && (
        <Suspense fallback={null}>
          <SelectionBar
            definition={seasonParts}
            selection={selection}
            filters={{ tvShowId: showId }}
            total={ids.length}
          />
        </Suspense>
      )}
      {edited && (
        <Suspense fallback={null}>
          <SeasonDialog
            showId={showId}
            seasons={seasons.data ?? []}
            season={edited === "new" ? undefined : edited}
            onClose={close}
          />
        </Suspense>
      )}
    </section>
  );
}

interface SeasonItemProps {
  showId: number;
  season: SeasonRow;
  /** For users who may change it. */
  selectBox: ReactNode;
  onEdit: () => void;
  onDeleted: () => void;
}

function SeasonItem({ showId, season, selectBox, onEdit, onDeleted }: SeasonItemProps) {
  const { t } = useTranslation();
  const may = useMay();
  const { linkTo } = useSeriesAddress();
  const toggle = useToggleSeason(showId);
  const nameOf = ({ seasonNumber }: SeasonRow) => t("episodes.seasonNumber", { number: seasonNumber });
  const erase = useDeleteSeason(showId, nameOf);
  const name = nameOf(season);
  const look = { variant: "subtle", color: "gray", size: "lg" } as const;
  const count = season.episodeCount ?? 0;
  const remove = async () => {
    const goesAhead = await confirm({
      title: t("seasons.deleteTitle"),
      consequence: t("contents.willDelete", { name }),
      verb: t("common.delete"),
    });
    if (goesAhead) erase(season, { onSuccess: onDeleted });
  };
  return (
    <li className="episode season" data-selectable={selectBox ? true : undefined}>
      {selectBox}
      <Cover url={season.coverImageUrl} />
      <div className="episode-words">
        <h2>
          {name}
          {season.title && <span className="season-title"> {season.title}</span>}
        </h2>
        <p className="quiet episode-facts tabular">
          <Link to={linkTo({ tab: undefined, season: season.seasonNumber, search: undefined })}>
            {t("series.episodeCount", { count, number: formatNumber(count) })}
          </Link>
          {season.airDate && <Moment of={season.airDate} />}
        </p>
      </div>
      {may("TVSHOW_UPDATE") ? (
        <StatusSwitch
          active={season.active}
          name={t("contents.toggle", { name })}
          label={season.active ? t("status.active") : t("status.inactive")}
          onChange={(active) => toggle(season, active, name)}
        />
      ) : (
        <StatusBadge active={season.active} />
      )}
      <span className="row-actions">
        {may("TVSHOW_UPDATE") && (
          <ActionIcon
            {...look}
            aria-label={t("contents.edit", { name })}
            title={t("common.edit")}
            onClick={onEdit}
          >
            <EditIcon />
          </ActionIcon>
        )}
        {may("TVSHOW_DELETE") && (
          <ActionIcon
            {...look}
            aria-label={t("contents.delete", { name })}
            title={t("common.delete")}
            onClick={() => void remove()}
          >
            <DeleteIcon />
          </ActionIcon>
        )}
      </span>
    </li>
  );
}
