// A programme in full: what it is, where it comes from, and what else there is on its channel.
import { Drawer, Skeleton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { WithoutGuide } from "../../api/enums/WithoutGuide.gen";
import { isMissing, messageOf, unlessMissing } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { formatDayIn, formatList, formatTimeIn } from "../../i18n/lazyFormats";
import { paths } from "../../routing/paths";
import { ErrorView } from "../../ui/ErrorView";
import { ToneBadge } from "../../ui/ToneBadge";
import { pictureUrl } from "../../ui/urls";
import { isPending, type ProgrammeAt, scheduleQueries } from "./queries";
import "../../ui/modal.css";
import "@mantine/core/styles/Drawer.layer.css";

interface ProgrammeDrawerProps {
  opened: { channel: number; at: number } | undefined;
  zone: string;
  onClose: () => void;
  onOpen: (channel: number, at: number) => void;
}

export function ProgrammeDrawer({ opened, zone, onClose, onOpen }: ProgrammeDrawerProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery("(max-width: 640px)");
  const query = useQuery({
    ...scheduleQueries.programme(opened?.channel ?? 0, opened?.at ?? 0),
    enabled: opened !== undefined,
  });
  const { error, refetch } = query;
  // What was shown before stays until the answer is there, on the same channel alone.
  const isOfAnother = query.isPlaceholderData && opened && query.data?.channelId !== opened.channel;
  const data = isOfAnother ? undefined : unlessMissing(query);
  return (
    <Drawer.Root
      opened={opened !== undefined}
      onClose={onClose}
      position={isPhone ? "bottom" : "right"}
      size={isPhone ? "75%" : "26rem"}
    >
      <Drawer.Overlay />
      <Drawer.Content className={isPhone ? "programme-drawer" : "programme-drawer right-drawer"}>
        <div className="dialog-head">
          <Drawer.Title>{data?.programme?.title ?? data?.title ?? t("schedule.programme")}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("common.close")} />
        </div>
        <Drawer.Body>
          {data ? (
            <Details of={data} zone={zone} onOpen={onOpen} />
          ) : error ? (
            <ErrorView
              title={t("schedule.failed")}
              message={messageOf(error)}
              onRetry={isMissing(error) ? undefined : () => void refetch()}
            />
          ) : (
            <Skeleton h={160} />
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** What the guide names as its picture; nothing where that cannot be shown. */
function Picture({ of: url }: { of: string | null | undefined }) {
  const source = pictureUrl(url);
  const [failed, setFailed] = useState<string>();
  if (!source || failed === source) return null;
  return (
    <img
      className="programme-picture"
      src={source}
      alt=""
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setFailed(source)}
    />
  );
}

interface DetailsProps extends Pick<ProgrammeDrawerProps, "zone" | "onOpen"> {
  of: ProgrammeAt;
}

function Details({ of: { programme, following, elsewhere, ...channel }, zone, onOpen }: DetailsProps) {
  const { t } = useTranslation();
  const may = useMay();
  const facts = programme
    ? [
        programme.season && t("schedule.season", { number: programme.season }),
        programme.episode && t("schedule.episode", { number: programme.episode }),
        programme.episodeText,
        programme.date?.slice(0, 4),
        ...programme.ratings,
      ].filter(Boolean)
    : [];
  return (
    <div className="programme">
      <p className="programme-place">
        <b>
          <span className="tabular">{channel.channelNumber}</span> {channel.title}
        </b>
        {programme && (
          <span>
            {formatDayIn(Date.parse(programme.start), zone)},{" "}
            <span className="tabular">
              {formatTimeIn(Date.parse(programme.start), zone)} –{" "}
              {formatTimeIn(Date.parse(programme.stop), zone)}
            </span>
          </span>
        )}
      </p>
      {programme?.subTitle && <p className="programme-sub">{programme.subTitle}</p>}
      {programme && (programme.isNew || programme.isRepeat || programme.categories.length > 0) && (
        <p className="programme-badges">
          {programme.isNew && <ToneBadge tone="green">{t("schedule.new")}</ToneBadge>}
          {programme.isRepeat && <ToneBadge tone="gray">{t("schedule.repeat")}</ToneBadge>}
          {programme.categories.map((category) => (
            <ToneBadge key={category} tone="blue">
              {category}
            </ToneBadge>
          ))}
        </p>
      )}
      {facts.length > 0 && <p className="quiet">{facts.join(" · ")}</p>}
      <Picture of={programme?.icon} />
      {programme ? (
        <p>{programme.description ?? <span className="quiet">{t("schedule.noDescription")}</span>}</p>
      ) : (
        <p>{channel.without ? labelOf(WithoutGuide, channel.without) : t("schedule.nothing")}</p>
      )}
      {following.length > 0 && (
        <section>
          <h3>{t("schedule.following")}</h3>
          <ul className="programme-following">
            {following.map(({ start, title }) => (
              <li key={start}>
                <span className="tabular quiet">{formatTimeIn(Date.parse(start), zone)}</span>
                <button
                  type="button"
                  className="link"
                  onClick={() => onOpen(channel.channelId, Date.parse(start))}
                >
                  {title}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {elsewhere.length > 0 && (
        <section>
          <h3>{t("schedule.elsewhere")}</h3>
          <ul className="programme-following">
            {elsewhere.map(({ channelId, channelNumber, channelTitle, start }) => (
              <li key={`${channelId} ${start}`}>
                <span className="tabular quiet">
                  {formatDayIn(Date.parse(start), zone)}, {formatTimeIn(Date.parse(start), zone)}
                </span>
                <button type="button" className="link" onClick={() => onOpen(channelId, Date.parse(start))}>
                  <span className="tabular">{channelNumber}</span> {channelTitle}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>{t("schedule.source")}</h3>
        <p>
          {channel.guideId && may("TVGUIDE_UPDATE") ? (
            <Link to={paths.editContent("tv-guides", channel.guideId)}>{channel.guideTitle}</Link>
          ) : (
            channel.guideTitle
          )}
          {channel.epgId && (
            <span className="quiet">
              {" · "}
              {formatList(
                [...new Set([channel.guideChannel, channel.epgId])].filter((text) => text !== null),
              )}
            </span>
          )}
        </p>
        {isPending(channel.without) && (
          <p>
            <Link to={paths.epgReviewOf(channel.channelId)}>{t("schedule.review")}</Link>
          </p>
        )}
        {may("TVCHANNEL_UPDATE") && (
          <Link to={paths.editContent("tv-channels", channel.channelId)}>{t("schedule.editChannel")}</Link>
        )}
      </section>
    </div>
  );
}
