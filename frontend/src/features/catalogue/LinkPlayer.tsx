// Plays a stream as far as the browser can; what it cannot play is opened elsewhere.
import { Alert, Anchor } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../ui/Dialog";
import { OpenIcon } from "../../ui/lazyIcons";
import { hostOf, webUrl } from "../../ui/urls";
import "@mantine/core/styles/Anchor.layer.css";

export function LinkPlayer({ url, onClose }: { url: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  const source = webUrl(url)?.href;
  return (
    <Dialog title={t("links.playing", { host: hostOf(url) })} onClose={onClose} size="xl">
      {hasFailed ? (
        <Alert color="yellow" title={t("links.cannotPlay")}>
          {t("links.cannotPlayHelp")}{" "}
          <Anchor href={source} target="_blank" rel="noopener noreferrer">
            {t("media.open")} <OpenIcon size={14} />
          </Anchor>
        </Alert>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the captions of a stream are inside it
        <video
          className="link-video"
          src={source}
          controls
          autoPlay
          aria-label={url}
          onError={() => setFailed(true)}
        />
      )}
      <p className="quiet link-url">{url}</p>
    </Dialog>
  );
}
