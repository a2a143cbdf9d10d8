// «Estado de las guías»: when each TV guide was read, what it held, and what became of it.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
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
import { paths } from "../../routing/paths";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { StatusBadge } from "../../ui/StatusBadge";
import { ToneBadge } from "../../ui/ToneBadge";
import "../../guides/guides.css";

export default function GuideHealthPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(guideFetches);
  const health = useQuery(guideHealth).data;
  return (
    <>
      <PageHeading title={t("pages.guideHealth")} />
      <p className="quiet guide-about">
        {t("guideHealth.about")} <Link to={paths.schedule}>{t("guideHealth.schedule")}</Link>
      </p>
      {health && <Without of={health} />}
      <Waiting />
      {data?.length ? (
        <ul className="guides">
          {data.map((one) => (
            <Guide
              key={one.guideId}
              of={one}
              health={health?.guides.find(({ guideId }) => guideId === one.guideId)}
            />
          ))}
        </ul>
      ) : data ? (
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

/** Channels without programmes, by reason. */
function Without({ of: { channels, without } }: { of: GuideHealth }) {
  const { t } = useTranslation();
  const total = without.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  return (
    <p className="guide-without">
      <Link to={`${paths.schedule}?show=without`}>
        {t("guideHealth.without", {
          count: total,
          number: formatNumber(total),
          channels: formatNumber(channels),
        })}
      </Link>{" "}
      <span className="quiet">
        {without
          .map(({ reason, count }) => `${labelOf(WithoutGuide, reason)}: ${formatNumber(count)}`)
          .join(" · ")}
      </span>
    </p>
  );
}

/** Channels about whose guide nobody has decided. */
function Waiting() {
  const { t } = useTranslation();
  const may = useMay();
  const { data: count = 0 } = useQuery({ ...waitingForReview, enabled: may("TVCHANNEL_READ") });
  if (count === 0) return null;
  return (
    <p className="guide-without">
      <Link to={paths.epgReview}>{t("guideHealth.waiting", { count, number: formatNumber(count) })}</Link>
    </p>
  );
}

/** How much of the next days a guide covers. */
function Coverage({ of: { channels, day, threeDays, unused } }: { of: HealthOfOne }) {
  const { t } = useTranslation();
  const number = (count: number) => ({ count, number: formatNumber(count) });
  return (
    <>
      <div>
        <dt>{t("guideHealth.used")}</dt>
        <dd className="tabular">
          {t("guideHealth.channels", number(channels))}
          {unused > 0 && <span className="quiet"> · {t("guideHealth.unused", number(unused))}</span>}
        </dd>
      </div>
      {channels > 0 &&
        [
          { hours: 24, of: day },
          { hours: 72, of: threeDays },
        ].map(({ hours, of }) => (
          <div key={hours}>
            <dt>{t("guideHealth.hours", { hours })}</dt>
            <dd className="tabular">
              {t("guideHealth.covered", { percent: of.percent })}
              {of.gaps > 0 && (
                <>
                  {" · "}
                  <Link to={`${paths.schedule}?show=gaps`}>{t("guideHealth.gaps", number(of.gaps))}</Link>
                </>
              )}
              {of.overlaps > 0 && (
                <span className="quiet"> · {t("guideHealth.overlaps", number(of.overlaps))}</span>
              )}
              {of.placeholders > 0 && (
                <span className="quiet"> · {t("guideHealth.placeholders", number(of.placeholders))}</span>
              )}
            </dd>
          </div>
        ))}
    </>
  );
}

function Guide({ of: fetch, health }: { of: GuideFetch; health: HealthOfOne | undefined }) {
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
      <FetchFindings of={fetch}>{health && <Coverage of={health} />}</FetchFindings>
    </li>
  );
}
