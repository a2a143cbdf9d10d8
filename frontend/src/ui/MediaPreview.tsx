// Preview of the background picture and the trailer: small in the form, enlarged on request. Video services are
// embedded by the id found in the address, never by the address itself.
import { Alert, Anchor, Button, Group } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { BrokenImageIcon } from "./icons";
import { EnlargeIcon, OpenIcon, ShrinkIcon } from "./lazyIcons";
import "./media.css";
import { type Trailer, trailerOf } from "./trailer";
import { pictureUrl } from "./urls";
import "@mantine/core/styles/Anchor.layer.css";

interface MediaPreviewProps {
  backgroundUrl?: string | null;
  trailerUrl?: string | null;
  /** The text where there is neither. */
  none: string;
}

export function MediaPreview({ backgroundUrl, trailerUrl, none }: MediaPreviewProps) {
  const { t } = useTranslation();
  const [isLarge, setLarge] = useState(false);
  const picture = pictureUrl(backgroundUrl);
  const trailer = trailerOf(trailerUrl);
  if (!picture && !trailer) return <p className="quiet media-none">{none}</p>;
  return (
    <div className={isLarge ? "media media-large" : "media"}>
      <div className="media-frames">
        {picture && <Picture key={picture} source={picture} />}
        {trailer && <Player key={"src" in trailer ? trailer.src : trailer.href} trailer={trailer} />}
      </div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={isLarge ? <ShrinkIcon size={14} /> : <EnlargeIcon size={14} />}
          onClick={() => setLarge(!isLarge)}
        >
          {isLarge ? t("media.shrink") : t("media.enlarge")}
        </Button>
      </Group>
    </div>
  );
}

export function Picture({ source }: { source: string }) {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed)
    return (
      <div className="media-frame media-placeholder" role="img" aria-label={t("media.pictureFailed")}>
        <BrokenImageIcon size={28} />
        <span aria-hidden="true">{t("media.pictureFailed")}</span>
      </div>
    );
  return (
    <img
      className="media-frame"
      src={source}
      alt={t("media.background")}
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setFailed(true)}
    />
  );
}

export function Player({ trailer }: { trailer: Trailer }) {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  if (trailer.kind === "embed")
    return (
      <iframe
        className="media-frame"
        src={trailer.src}
        title={t("media.trailer")}
        loading="lazy"
        allow="fullscreen; picture-in-picture"
        sandbox="allow-scripts allow-same-origin allow-presentation"
        referrerPolicy="strict-origin-when-cross-origin"
      />
    );
  if (trailer.kind === "file" && !hasFailed)
    return (
      // biome-ignore lint/a11y/useMediaCaption: a trailer from elsewhere comes without captions of ours
      <video
        className="media-frame"
        src={trailer.src}
        controls
        preload="metadata"
        aria-label={t("media.trailer")}
        onError={() => setFailed(true)}
      />
    );
  return (
    <Alert color="gray" className="media-frame">
      {hasFailed ? t("media.trailerFailed") : t("media.elsewhere")}{" "}
      <Anchor
        href={trailer.kind === "unknown" ? trailer.href : trailer.src}
        target="_blank"
        rel="noopener noreferrer"
      >
        {t("media.open")} <OpenIcon size={14} />
      </Anchor>
    </Alert>
  );
}
