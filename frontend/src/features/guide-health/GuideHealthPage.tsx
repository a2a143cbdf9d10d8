// «Estado de las guías»: when each TV guide was read, what it held, and what became of it.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { GuideFetchFault } from "../../api/enums/GuideFetchFault.gen";
import { GuideFetchState } from "../../api/enums/GuideFetchState.gen";
import { WithoutGuide } from "../../api/enums/WithoutGuide.gen";
import { messageOf } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { formatMoment, formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { AlertIcon, UploadIcon } from "../../ui/icons";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { StatusBadge } from "../../ui/StatusBadge";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import {
  type GuideFetch,
  type GuideHealth,
  guideFetches,
  guideHealth,
  type HealthOfOne,
  isUnfinished,
  useRead,
  waitingForReview,
} from "./queries";
import "./guide-health.css";

const SettingsDialog = lazy(() => import("./SettingsDialog"));

const tones = {
  NEVER: "gray",
  WAITING: "gray",
  RUNNING: "blue",
  DONE: "green",
  UNCHANGED: "green",
  PARTIAL: "orange",
  FAILED: "red",
} as const satisfies Record<GuideFetch["state"], Tone>;

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
  const { guideId, title, active, state, counts, leftOut } = fetch;
  const fault =
    fetch.fault &&
    labelOf(GuideFetchFault, fetch.fault) + (fetch.statusCode ? ` (HTTP ${fetch.statusCode})` : "");
  return (
    <li className="guide">
      <div className="guide-head">
        <h2>
          {may("TVGUIDE_UPDATE") ? <Link to={paths.editContent("tv-guides", guideId)}>{title}</Link> : title}
        </h2>
        <ToneBadge tone={tones[state]}>{labelOf(GuideFetchState, state)}</ToneBadge>
        {health?.stale && <ToneBadge tone="orange">{t("guideHealth.stale")}</ToneBadge>}
        {!active && <StatusBadge active={false} />}
        {may("TVGUIDE_UPDATE") && <Buttons of={fetch} />}
      </div>
      {fault && (
        <p className="guide-fault">
          <AlertIcon size={16} /> {fault}
          {state === "FAILED" && `. ${t("guideHealth.nothingChanged")}`}
        </p>
      )}
      <dl className="guide-facts">
        <Fact name={t("guideHealth.lastGood")} moment={fetch.lastGoodDate} />
        <Fact name={t("guideHealth.newest")} moment={fetch.newestProgramme} />
        <Fact name={t("guideHealth.next")} moment={active ? fetch.nextFetchDate : null} />
        {fetch.lastGoodDate && (
          <div>
            <dt>{t("guideHealth.held")}</dt>
            <dd className="tabular">
              {(["channels", "programmes"] as const)
                .map((what) =>
                  t(`guideHealth.${what}`, { count: counts[what], number: formatNumber(counts[what]) }),
                )
                .join(", ")}
              {counts.outside > 0 && (
                <span className="quiet">
                  {" "}
                  {t("guideHealth.outside", { number: formatNumber(counts.outside) })}
                </span>
              )}
            </dd>
          </div>
        )}
        {health && <Coverage of={health} />}
      </dl>
      {leftOut.length > 0 && (
        <details className="guide-left-out">
          <summary>
            {t("guideHealth.leftOut", {
              number: formatNumber(leftOut.reduce((sum, { count }) => sum + count, 0)),
            })}
          </summary>
          <ul>
            {leftOut.map(({ reason, message, count }) => (
              <li key={reason}>
                {message}: <span className="tabular">{formatNumber(count)}</span>
                <span className="quiet">
                  {" "}
                  {fetch.examples
                    .filter((example) => example.reason === reason)
                    .slice(0, 3)
                    .map(({ text }) => `«${text}»`)
                    .join(", ")}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function Fact({ name, moment }: { name: string; moment: string | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{moment ? formatMoment(moment) : "—"}</dd>
    </div>
  );
}

function Buttons({ of: fetch }: { of: GuideFetch }) {
  const { t } = useTranslation();
  const read = useRead(fetch);
  const input = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { title } = fetch;
  const busy = isUnfinished(fetch) || read.isPending;
  return (
    <div className="guide-actions">
      <Button
        size="xs"
        loading={busy}
        loaderProps={{ "aria-label": t("guideHealth.reading", { title }) }}
        aria-label={t("guideHealth.readNowOf", { title })}
        onClick={() => read.mutate({})}
      >
        {t("guideHealth.readNow")}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".xml,.xmltv,.gz,.xz"
        aria-label={t("guideHealth.file", { title })}
        hidden
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) read.mutate({ file });
          event.currentTarget.value = "";
        }}
      />
      <Button
        size="xs"
        variant="default"
        disabled={busy}
        leftSection={<UploadIcon size={16} />}
        aria-label={t("guideHealth.uploadOf", { title })}
        onClick={() => input.current?.click()}
      >
        {t("guideHealth.upload")}
      </Button>
      <Button
        size="xs"
        variant="default"
        aria-label={t("guideHealth.settings.of", { title })}
        onClick={() => setOpen(true)}
      >
        {t("guideHealth.settings.open")}
      </Button>
      <Suspense fallback={null}>
        {isOpen && <SettingsDialog of={fetch} onClose={() => setOpen(false)} />}
      </Suspense>
    </div>
  );
}
