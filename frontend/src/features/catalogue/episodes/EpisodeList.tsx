// The episodes of a show, filtered on the client, which has all of them. For shows with a thousand episodes, rows
// are memoised, painted only while visible, and rendered in portions.
import { Button, NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useQuery } from "@tanstack/react-query";
import {
  type ReactNode,
  Suspense,
  startTransition,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../access/session";
import { messageOf } from "../../../api/problem";
import { loadTexts, t as text } from "../../../i18n";
import { formatNumber } from "../../../i18n/formats";
import { lazyPart } from "../../../loading/lazyPart";
import { confirm } from "../../../ui/confirm";
import { Empty } from "../../../ui/Empty";
import { ErrorView } from "../../../ui/ErrorView";
import { AddIcon } from "../../../ui/icons";
import { SearchBox } from "../../../ui/list/SearchBox";
import { SelectPage, SelectRow } from "../../../ui/list/SelectBox";
import { type Selection, useSelection } from "../../../ui/list/useSelection";
import { plain } from "../../../ui/plain";
import { EpisodeItem } from "./EpisodeItem";
import { useEpisodeFocus } from "./episodeFocus";
import { episodeName, matching, seasonsOf } from "./names";
import { PartTools } from "./PartTools";
import { episodeParts } from "./parts";
import type { Show } from "./queries";
import { type EpisodeRow, seriesQueries, useDeleteEpisode, useToggleEpisode } from "./queries";
import { SkeletonRows } from "./SkeletonRows";
import { useSeriesAddress } from "./useSeriesAddress";

const SeasonImport = lazyPart(async () => ({ default: (await import("./SeasonImport")).SeasonImport }), {
  isDialog: true,
});

const SelectionBar = lazyPart(
  async () => (await Promise.all([import("../bulk/SelectionBar"), loadTexts("operations")]))[0],
);

export function EpisodeList({ show }: { show: Show }) {
  const { t } = useTranslation();
  const { season, search, change, linkTo } = useSeriesAddress();
  const list = useQuery(seriesQueries.episodes(show.id));
  const [isImporting, setImporting] = useState(false);
  const episodes = list.data;
  const found = useMemo(() => matching(episodes ?? [], season, search), [episodes, season, search]);
  const isFiltered = season !== 0 || search !== "";
  const mayEdit = useMay()("TVSHOW_UPDATE");
  const selection = useSelection({ search, filters: { season: String(season) } });
  // Also where an operation has removed the rows: its dialog is part of the bar.
  const hasSelected = selection.everything || selection.ids.length > 0;
  const ids = useMemo(() => found.map(({ id }) => id), [found]);
  // As requests name it: what is found here is what the server finds.
  const filter = {
    tvShowId: show.id,
    seasonNumber: season || undefined,
    titleOrNumber: plain(search) ? search : undefined,
  };

  return (
    <section aria-label={t("episodes.page")}>
      <search className="list-tools">
        <SearchBox
          value={search}
          placeholder={t("episodes.search")}
          delay={150}
          onSearch={(next) => change({ search: next }, { replace: true })}
        />
        <SeasonFilter episodes={episodes} />
        {mayEdit && ids.length > 0 && <SelectPage selection={selection} page={ids} />}
        <output className="quiet shown-count tabular" aria-live="polite">
          {episodes ? countText(found.length, episodes.length) : list.isPending && t("episodes.loading")}
        </output>
        <AddButtons
          isReady={episodes !== undefined}
          onImport={() => setImporting(true)}
          onAdd={() => change({ new: 1 })}
        >
          <PartTools
            kind="episodes"
            showId={show.id}
            query={{ ...filter, _sort: "+seasonNumber,+episodeNumber" }}
            total={episodes && found.length}
          />
        </AddButtons>
      </search>
      {list.isError && !episodes ? (
        <ErrorView
          title={t("list.failed")}
          message={messageOf(list.error)}
          onRetry={() => void list.refetch()}
        />
      ) : !episodes ? (
        <SkeletonRows height={115} />
      ) : found.length === 0 ? (
        <NoEpisodes onClear={isFiltered && (() => change({ season: undefined, search: undefined }))} />
      ) : (
        <Rows
          show={show}
          episodes={found}
          view={`${season}/${search}`}
          linkTo={linkTo}
          selection={selection}
          ids={ids}
        />
      )}
      {mayEdit && hasSelected && (
        <Suspense fallback={null}>
          <SelectionBar
            definition={episodeParts}
            selection={selection}
            filters={filter}
            total={found.length}
          />
        </Suspense>
      )}
      {isImporting && episodes && (
        <Suspense fallback={null}>
          <SeasonImport show={show} episodes={episodes} onClose={() => setImporting(false)} />
        </Suspense>
      )}
    </section>
  );
}

function countText(found: number, total: number): string {
  return found === total
    ? text("series.episodeCount", { count: total, number: formatNumber(total) })
    : text("episodes.shown", { shown: formatNumber(found), total: formatNumber(total) });
}

function SeasonFilter({ episodes }: { episodes: readonly EpisodeRow[] | undefined }) {
  const { t } = useTranslation();
  const { season, change } = useSeriesAddress();
  const seasons = useMemo(() => seasonsOf(episodes ?? []), [episodes]);
  // A season in an old address that no longer exists can still be deselected.
  const choices = season && !seasons.includes(season) ? [...seasons, season].sort((a, b) => a - b) : seasons;
  return (
    <NativeSelect
      aria-label={t("episodes.season")}
      value={season}
      onChange={(event) => change({ season: Number(event.currentTarget.value) })}
      data={[
        { value: "0", label: t("episodes.allSeasons") },
        ...choices.map((number) => ({
          value: String(number),
          label: t("episodes.seasonNumber", { number }),
        })),
      ]}
    />
  );
}

interface AddButtonsProps {
  /** Whether the episodes are loaded. */
  isReady: boolean;
  onImport: () => void;
  onAdd: () => void;
  children: ReactNode;
}

function AddButtons({ isReady, onImport, onAdd, children }: AddButtonsProps) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <div className="page-actions">
      {children}
      {may("TVSHOW_CREATE") && (
        <>
          <Button variant="default" disabled={!isReady} onClick={onImport}>
            {t("seasonImport.open")}
          </Button>
          <Button leftSection={<AddIcon />} onClick={onAdd}>
            {t("episodes.add")}
          </Button>
        </>
      )}
    </div>
  );
}

/** Shown where the show has no episodes, or none that match the filters. */
function NoEpisodes({ onClear }: { onClear: false | (() => void) }) {
  const { t } = useTranslation();
  return (
    <Empty
      action={
        onClear && (
          <Button variant="default" size="xs" onClick={onClear}>
            {t("list.clear")}
          </Button>
        )
      }
    >
      {onClear ? t("episodes.nothingFound") : t("episodes.none")}
    </Empty>
  );
}

interface RowsProps {
  show: Show;
  episodes: readonly EpisodeRow[];
  /** Identifies the filters; a change renders the list from its first rows again. */
  view: string;
  linkTo: ReturnType<typeof useSeriesAddress>["linkTo"];
  selection: Selection;
  /** The ids of all rows, also of those not rendered yet. */
  ids: readonly number[];
}

function Rows({ show, episodes, view, linkTo, selection, ids }: RowsProps) {
  const { t } = useTranslation();
  const may = useMay();
  const toggle = useToggleEpisode(show.id);
  const erase = useDeleteEpisode(show.id);
  useEpisodeFocus(show.id);
  const shown = useInPortions(episodes.length, view);
  // A stable function, so that it does not render rows again.
  const forget = useRef(selection.forget);
  const remove = useCallback(
    async (episode: EpisodeRow) => {
      const goesAhead = await confirm({
        title: t("episodes.deleteTitle"),
        consequence: t("episodes.willDelete", { name: episodeName(episode) }),
        verb: t("common.delete"),
      });
      if (goesAhead) erase(episode, { onSuccess: () => forget.current(episode.id) });
    },
    [erase, t],
  );
  const mayEdit = may("TVSHOW_UPDATE");
  const mayDelete = may("TVSHOW_DELETE");
  return (
    <ul className="episodes" aria-label={t("episodes.page")}>
      {episodes.slice(0, shown).map((episode) => (
        <li key={episode.id} className="episode" data-selectable={mayEdit || undefined}>
          {mayEdit && (
            <SelectRow selection={selection} id={episode.id} page={ids} name={episodeName(episode)} />
          )}
          <EpisodeItem
            episode={episode}
            editSearch={mayEdit ? linkTo({ episode: episode.id }).search : undefined}
            onToggle={mayEdit ? toggle : undefined}
            onDelete={mayDelete ? remove : undefined}
          />
        </li>
      ))}
    </ul>
  );
}

const firstPortion = 40;
const portion = 120;

/** The number of rows that are rendered by now. */
function useInPortions(total: number, view: string): number {
  const [{ count, of }, setWritten] = useState({ count: firstPortion, of: view });
  const written = of === view ? count : firstPortion;
  useEffect(() => {
    if (written >= total) return;
    const timer = setTimeout(() => startTransition(() => setWritten({ count: written + portion, of: view })));
    return () => clearTimeout(timer);
  }, [written, total, view]);
  return written;
}
