// The episodes of one show: its header, its seasons and episodes, and the forms of an episode. Which of them is
// shown is in the address.
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { useMay } from "../../../access/session";
import { messageOf, unlessMissing } from "../../../api/problem";
import { formatNumber } from "../../../i18n/formats";
import { paths } from "../../../routing/paths";
import { usePageTitle } from "../../../routing/usePageTitle";
import { ErrorView } from "../../../ui/ErrorView";
import { BackIcon } from "../../../ui/icons";
import { PageHeading } from "../../../ui/PageHeading";
import { Cover } from "../../../ui/values";
import "../../../ui/list/list.css";
import { contentQueries } from "../queries";
import { EpisodeList } from "./EpisodeList";
import "./episodes.css";
import { lazyPart } from "../../../loading/lazyPart";
import type { Show } from "./queries";
import { SeasonList } from "./SeasonList";
import { useSeriesAddress } from "./useSeriesAddress";

const CreateEpisode = lazyPart(async () => ({ default: (await import("./EpisodeForm")).CreateEpisode }));
const EditEpisode = lazyPart(async () => ({ default: (await import("./EpisodeForm")).EditEpisode }));

export function EpisodesPage() {
  const { id = "" } = useParams();
  const showId = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  return <OfShow key={showId} showId={showId} />;
}

function OfShow({ showId }: { showId: number }) {
  const { t } = useTranslation();
  const show = useQuery(contentQueries.one("tv-shows", showId));
  const { mode, linkTo } = useSeriesAddress();
  const top = useRef<HTMLDivElement>(null);
  const isForm = mode.is === "new" || mode.is === "edit";

  // A form begins at its top, however far down the list it was opened from.
  useEffect(() => {
    if (isForm) window.scrollTo({ top: 0 });
  }, [isForm]);

  // Typed values of a form are kept.
  const found = isForm ? show.data : unlessMissing(show);
  if (show.isError && !found)
    return (
      <>
        <PageHeading title={t("episodes.page")} />
        <ErrorView
          title={t("contents.tv-shows.loadFailed")}
          message={messageOf(show.error)}
          onRetry={() => void show.refetch()}
          action={
            <Button
              component={Link}
              to={paths.contents("tv-shows")}
              size="xs"
              variant="default"
              leftSection={<BackIcon size={14} />}
            >
              {t("series.backToShows")}
            </Button>
          }
        />
      </>
    );
  if (!found) return <ShowOnItsWay />;

  return (
    <div ref={top}>
      <Trail show={found}>
        {isForm ? (
          <Link to={linkTo({ new: undefined, episode: undefined })}>{t("episodes.page")}</Link>
        ) : null}
        {!isForm && <span aria-current="page">{t("episodes.page")}</span>}
      </Trail>
      {isForm ? (
        <Suspense fallback={<Skeleton h={320} />}>
          {mode.is === "edit" ? (
            <EditEpisode key={mode.id} show={found} id={mode.id} />
          ) : (
            <CreateEpisode show={found} />
          )}
        </Suspense>
      ) : (
        <>
          <ShowHeader show={found} />
          <nav className="parts" aria-label={t("series.parts")}>
            <Link to={linkTo({ tab: undefined })} aria-current={mode.is === "episodes" ? "page" : undefined}>
              {t("episodes.page")}
            </Link>
            <Link to={linkTo({ tab: "seasons" })} aria-current={mode.is === "seasons" ? "page" : undefined}>
              {t("seasons.page")}
            </Link>
          </nav>
          {mode.is === "seasons" ? <SeasonList showId={showId} /> : <EpisodeList show={found} />}
        </>
      )}
    </div>
  );
}

/** Series › this show › its episodes. */
function Trail({ show, children }: { show: Show; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <nav className="trail" aria-label={t("series.trail")}>
      <ol>
        <li>
          <Link to={paths.contents("tv-shows")}>{t("pages.tv-shows")}</Link>
        </li>
        <li>
          <Link to={paths.content("tv-shows", show.id)}>{show.title}</Link>
        </li>
        <li>{children}</li>
      </ol>
    </nav>
  );
}

function ShowHeader({ show }: { show: Show }) {
  const { t } = useTranslation();
  const may = useMay();
  usePageTitle(`${show.title} · ${t("episodes.page")}`);
  const facts = [
    { label: t("series.year"), value: String(show.year) },
    { label: t("series.totalSeasons"), value: formatNumber(show.totalSeasons ?? 0) },
    { label: t("series.totalEpisodes"), value: formatNumber(show.totalEpisodes ?? 0) },
  ];
  return (
    <header className="show-header">
      <Cover url={show.coverImageUrl} size="large" />
      <div className="show-facts">
        <h1>{show.title}</h1>
        <dl>
          {facts.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="tabular">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div className="page-actions">
        <Button component={Link} to={paths.content("tv-shows", show.id)} variant="default">
          {t("series.details")}
        </Button>
        {may("TVSHOW_UPDATE") && (
          <Button component={Link} to={paths.editContent("tv-shows", show.id)} variant="default">
            {t("common.edit")}
          </Button>
        )}
      </div>
    </header>
  );
}

/** The skeleton of the page, with a loading text. */
function ShowOnItsWay() {
  const { t } = useTranslation();
  return (
    <div role="status">
      <p className="quiet on-its-way">{t("series.loading")}</p>
      <div className="show-header" aria-hidden="true">
        <Skeleton w="6rem" h="8.5rem" />
        <div className="show-facts">
          <Skeleton h={28} w="16rem" maw="100%" mb="md" />
          <Skeleton h={40} w="22rem" maw="100%" />
        </div>
      </div>
      <Skeleton h={45} mb="md" aria-hidden="true" />
      <Skeleton h={320} aria-hidden="true" />
    </div>
  );
}
