// «Estado de las guías»: when each TV guide was read, what it held, and what became of it.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useMay } from "../../access/session";
import { WithoutGuide } from "../../api/enums/WithoutGuide.gen";
import { messageOf } from "../../api/problem";
import { FetchButtons } from "../../guides/FetchButtons";
import { FetchFindings } from "../../guides/FetchFindings";
import { FetchBadge, FetchFault } from "../../guides/fetchState";
import {
  type GuideFetch,
  type GuideHealth,
  guideFetches,
  guideHealth,
  type HealthOfOne,
  waitingForReview,
} from "../../guides/queries";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { AlertIcon } from "../../ui/icons";
import { ListExport } from "../../ui/list/export/ListExport";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { StatusBadge } from "../../ui/StatusBadge";
import { ToneBadge } from "../../ui/ToneBadge";
import "../../guides/guides.css";

const UnusedDialog = lazyPart(() => import("./UnusedDialog"), { isDialog: true });

/** Of each channel: what the page adds up. */
const columnsOfFile = ["number", "title", "guide", "without"]
  .concat(["day", "dayGaps", "dayOverlaps", "dayPlaceholders"])
  .concat(["threeDays", "threeDaysGaps", "threeDaysOverlaps", "threeDaysPlaceholders"])
  .map((key) => ({ key }));

export default function GuideHealthPage() {
  const { t } = useTranslation();
  const may = useMay();
  const [params] = useSearchParams();
  const { data, error, refetch } = useQuery(guideFetches);
  const { data: health, error: healthError, refetch: readHealth } = useQuery(guideHealth);
  const onlyStale = params.get("show") === "stale";
  const healthOf = (id: number) => health?.guides.find(({ guideId }) => guideId === id);
  const shown = onlyStale ? data?.filter(({ guideId }) => healthOf(guideId)?.stale) : data;
  return (
    <>
      <PageHeading
        title={t("pages.guideHealth")}
        aside={
          health &&
          may("TVCHANNEL_READ") && (
            <ListExport
              list="guide-health"
              file="spreadsheets/guide-health"
              query={{}}
              total={health.channels}
              columns={columnsOfFile}
            />
          )
        }
      />
      <p className="quiet guide-about">
        {t("guideHealth.about")} <Link to={paths.schedule}>{t("guideHealth.schedule")}</Link>
      </p>
      {health ? (
        <Summary of={health} onlyStale={onlyStale} />
      ) : (
        healthError && (
          <ErrorView
            title={t("guideHealth.failed")}
            message={messageOf(healthError)}
            onRetry={() => void readHealth()}
          />
        )
      )}
      <Waiting />
      {shown?.length ? (
        <ul className="guides">
          {shown.map((one) => (
            <Guide key={one.guideId} of={one} all={data ?? []} health={healthOf(one.guideId)} />
          ))}
        </ul>
      ) : shown && onlyStale ? (
        health ? (
          <Empty>{t("guideHealth.noneStale")}</Empty>
        ) : (
          !healthError && <PageSkeleton />
        )
      ) : shown ? (
        <Empty help={t("guideHealth.noneHelp")}>{t("guideHealth.none")}</Empty>
      ) : error ? (
        <ErrorView
          title={t("guideHealth.failed")}
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
    </>
  );
}

/** All channels: how much of their next days is covered, how many have no programmes and why; how many guides are stale. */
function Summary({ of: health, onlyStale }: { of: GuideHealth; onlyStale: boolean }) {
  const { t } = useTranslation();
  const { channels, without } = health;
  const total = without.reduce((sum, { count }) => sum + count, 0);
  const stale = health.guides.filter((one) => one.stale).length;
  return (
    <div className="guide-summary">
      {channels > 0 && (
        <dl className="guide-facts">
          <div>
            <dt>{t("guideHealth.coverage")}</dt>
            <dd className="tabular">
              <Link to={paths.schedule}>{formatNumber(channels)}</Link>
            </dd>
          </div>
          <Hours hours={24} of={health.day} />
          <Hours hours={72} of={health.threeDays} />
        </dl>
      )}
      {total > 0 && (
        <p className="guide-without">
          <Link to={paths.scheduleOf({ show: "without" })}>
            {t("guideHealth.without", {
              count: total,
              number: formatNumber(total),
              channels: formatNumber(channels),
            })}
          </Link>{" "}
          {without.map(({ reason, count }, index) => (
            <span key={reason}>
              {index > 0 && " · "}
              <Link to={paths.scheduleOf({ show: "without", reason })}>
                {labelOf(WithoutGuide, reason)}: <span className="tabular">{formatNumber(count)}</span>
              </Link>
            </span>
          ))}
        </p>
      )}
      {onlyStale ? (
        <p className="guide-without">
          {t("guideHealth.onlyStale")} <Link to={paths.guideHealth}>{t("guideHealth.allGuides")}</Link>
        </p>
      ) : (
        stale > 0 && (
          <p className="guide-without">
            <Link to={paths.staleGuides}>
              {t("guideHealth.staleCount", { count: stale, number: formatNumber(stale) })}
            </Link>
          </p>
        )
      )}
    </div>
  );
}

interface HoursProps {
  hours: number;
  of: HealthOfOne["day"];
  /** Of this guide alone. */
  guide?: number;
}

/** What the next hours have; each number leads to the channels that it is about. */
function Hours({ hours, of, guide }: HoursProps) {
  const { t } = useTranslation();
  const to = (show: string) => paths.scheduleOf({ ...(guide !== undefined && { guide }), show, hours });
  return (
    <div>
      <dt>{t("guideHealth.hours", { hours })}</dt>
      <dd className="tabular">
        {of.percent < 100 ? (
          <Link to={to("uncovered")}>{t("guideHealth.covered", { percent: of.percent })}</Link>
        ) : (
          t("guideHealth.covered", { percent: of.percent })
        )}
        {(["gaps", "overlaps", "placeholders"] as const)
          .filter((what) => of[what] > 0)
          .map((what) => (
            <span key={what}>
              {" · "}
              <Link to={to(what)}>
                {t(`guideHealth.${what}`, { count: of[what], number: formatNumber(of[what]) })}
              </Link>
            </span>
          ))}
      </dd>
    </div>
  );
}

/** Channels with an undecided match. */
function Waiting() {
  const { t } = useTranslation();
  const may = useMay();
  const { data: count = 0 } = useQuery({ ...waitingForReview, enabled: may("TVCHANNEL_READ") });
  if (count === 0) return null;
  return (
    <p className="guide-without guide-waiting">
      <Link to={paths.epgReview}>{t("guideHealth.waiting", { count, number: formatNumber(count) })}</Link>
    </p>
  );
}

/** How much of the next days a guide covers. */
function Coverage({
  of: { guideId, channels, day, threeDays, unused },
  title,
}: {
  of: HealthOfOne;
  title: string;
}) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const number = (count: number) => ({ count, number: formatNumber(count) });
  return (
    <>
      <div>
        <dt>{t("guideHealth.used")}</dt>
        <dd className="tabular">
          {channels > 0 ? (
            <Link to={paths.scheduleOf({ guide: guideId })}>
              {t("guideHealth.channels", number(channels))}
            </Link>
          ) : (
            t("guideHealth.channels", number(channels))
          )}
          {unused > 0 && (
            <>
              {" · "}
              <button type="button" className="guide-unused" onClick={() => setOpen(true)}>
                {t("guideHealth.unused", number(unused))}
              </button>
            </>
          )}
          <Suspense fallback={null}>
            {isOpen && <UnusedDialog guide={guideId} title={title} onClose={() => setOpen(false)} />}
          </Suspense>
        </dd>
      </div>
      {channels > 0 && (
        <>
          <Hours hours={24} of={day} guide={guideId} />
          <Hours hours={72} of={threeDays} guide={guideId} />
        </>
      )}
    </>
  );
}

/** Another guide has the same titles at a constant distance. */
function Shift({
  of: { guideId, minutes },
  all,
}: {
  of: NonNullable<HealthOfOne["shift"]>;
  all: GuideFetch[];
}) {
  const { t } = useTranslation();
  const title = all.find((one) => one.guideId === guideId)?.title ?? String(guideId);
  return (
    <p className="guide-shift">
      <AlertIcon size={16} />{" "}
      {t(minutes > 0 ? "guideHealth.shiftLater" : "guideHealth.shiftEarlier", {
        time: lengthOf(Math.abs(minutes)),
        title,
      })}
    </p>
  );
}

/** «1 h», «5 h 30 min». */
function lengthOf(minutes: number): string {
  const parts = [
    { unit: "h", value: Math.floor(minutes / 60) },
    { unit: "min", value: minutes % 60 },
  ];
  return parts
    .filter(({ value }) => value > 0)
    .map(({ unit, value }) => `${value} ${unit}`)
    .join(" ");
}

interface GuideProps {
  of: GuideFetch;
  all: GuideFetch[];
  health: HealthOfOne | undefined;
}

function Guide({ of: fetch, all, health }: GuideProps) {
  const { t } = useTranslation();
  const may = useMay();
  const { guideId, title, active } = fetch;
  return (
    <li className="guide">
      <div className="guide-head">
        <h2>
          {may("TVGUIDE_UPDATE") ? <Link to={paths.editContent("tv-guides", guideId)}>{title}</Link> : title}
        </h2>
        <FetchBadge of={fetch} />
        {health?.stale && <ToneBadge tone="orange">{t("guideHealth.stale")}</ToneBadge>}
        {!active && <StatusBadge active={false} />}
        {may("TVGUIDE_UPDATE") && <FetchButtons of={fetch} />}
      </div>
      <FetchFault of={fetch} />
      {health?.shift && <Shift of={health.shift} all={all} />}
      <FetchFindings of={fetch}>{health && <Coverage of={health} title={title} />}</FetchFindings>
    </li>
  );
}
